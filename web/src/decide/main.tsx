// Reads the data that are embedded in the page, and shows what is to be decided.
import { render } from "preact";
import type { DecidePage } from "../decide-data";
import { followAddress } from "../state";
import "../style.css";
import { showTips } from "../tip";
import { App } from "./app";
import "./decide.css";

const page = JSON.parse(document.getElementById("data")!.textContent!) as DecidePage;
followAddress();
showTips();
render(<App page={page} />, document.getElementById("page")!);
