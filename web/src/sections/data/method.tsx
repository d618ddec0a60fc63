// Under which conditions the numbers hold, how to make them again, and whom to cite.
import type { Context } from "../../context";
import type { PageSetting } from "../../page-data";
import { Commands } from "../../parts/commands";
import { useCopied } from "../../parts/copied";
import { type Cell, Table } from "../../table";

export function Signature({ context }: { context: Context }) {
  const { page, dataset } = context;
  const settings = settingsOf(page.settings, dataset?.name ?? null);
  const several = settings.some((setting) => setting.dataset !== null);
  const [copied, copyAs] = useCopied();
  const header = [{ text: "setting" }, { text: "value", words: true }, ...(several ? [{ text: "dataset", words: true }] : []), { text: "meaning", words: true }];
  const body = settings.map((setting): Cell[] => [
    { text: setting.name },
    { text: setting.value },
    ...(several ? [{ text: setting.dataset ?? "all" }] : []),
    { text: setting.about },
  ]);
  return (
    <section class="signature">
      <h3>Signature</h3>
      <p>
        <code>{page.signature}</code>{" "}
        <button type="button" onClick={() => copyAs("signature", page.signature)}>{copied ? "copied" : "Copy the signature"}</button>
      </p>
      {body.length > 0 && <Table caption="Settings behind every number" header={header} rows={body} />}
    </section>
  );
}

/** Settings of all data and of the chosen dataset. */
export function settingsOf(settings: PageSetting[], dataset: string | null): PageSetting[] {
  return settings.filter((setting) => dataset === null || setting.dataset === null || setting.dataset === dataset);
}

export function Reproduce({ context }: { context: Context }) {
  const { commands } = context.page;
  if (!commands.length) return null;
  return (
    <section>
      <h3>Commands</h3>
      <Commands commands={commands} />
    </section>
  );
}

export function Citations({ context }: { context: Context }) {
  const { citations } = context.page;
  const [copied, copyAs] = useCopied();
  if (!citations.length) return null;
  return (
    <section>
      <h3>Citations</h3>
      <ul class="citations">{citations.map((text) => <li key={text}>{text}</li>)}</ul>
      <button type="button" onClick={() => copyAs("citations", citations.join("\n\n"))}>{copied ? "copied" : "Copy all"}</button>
    </section>
  );
}
