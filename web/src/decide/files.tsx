// The name of the person who decides, and the files of decisions.
import { useRef, useState } from "preact/hooks";
import { counted } from "../format";
import { download } from "../save";
import { type Exported, exported, exportedSample, imported } from "./exchange";
import type { Session } from "./session";

export function Files({ session }: { session: Session }) {
  const { model, choices, by } = session;
  const [message, setMessage] = useState("");
  const chosen = useRef<HTMLInputElement>(null);
  const save = (name: string, { text, decided, unfinished }: Exported) => {
    download(name, text, "application/json");
    const rest = unfinished ? `; ${counted(unfinished, "sentence")} with undecided places will be read by this page alone` : "";
    setMessage(`${counted(decided, "sentence")} exported${rest}.`);
  };
  const open = async (file: File | undefined) => {
    if (!file) return;
    try {
      const { choices: read, strangers } = imported(model, await file.text());
      session.merge(read);
      const left = strangers ? ` ${counted(strangers, "decision")} on other or changed sentences left out.` : "";
      setMessage(`${counted(Object.keys(read).length, "decision")} read.${left}`);
    } catch (error) {
      setMessage((error as Error).message);
    }
    chosen.current!.value = "";
  };
  return (
    <section class="choices files" aria-label="Decisions">
      <span class="field">
        <label for="by">Your name</label>
        <input id="by" type="text" size={10} value={by} autocomplete="off" onInput={(event) => session.setBy(event.currentTarget.value)} />
      </span>
      <button type="button" class="main" onClick={() => save("decisions.json", exported(model, choices))}>Export decisions</button>
      {model.sample.length > 0 && <button type="button" onClick={() => save("judged.json", exportedSample(model, choices))}>Export judged sample</button>}
      <label class="button">
        Import
        <input ref={chosen} type="file" class="spoken" accept=".json,application/json" onChange={(event) => void open(event.currentTarget.files?.[0])} />
      </label>
      <span role="status" class="said">{message}{!session.isKept && " The browser does not store decisions: export them before you close the page."}</span>
    </section>
  );
}
