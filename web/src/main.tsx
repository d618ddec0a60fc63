// Reads the data that are embedded in the page, and shows it.
import { render } from "preact";
import { App } from "./app";
import { parsePage } from "./data";
import { followAddress } from "./state";
import "./style.css";
import { showTips } from "./tip";

/** On paper nothing can be opened: tables behind charts are, while it prints. */
function openForPrint(): void {
  let opened: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open])")];
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
  });
}

const page = parsePage(document.getElementById("data")!.textContent!);
followAddress();
showTips();
openForPrint();
render(<App page={page} />, document.getElementById("page")!);
