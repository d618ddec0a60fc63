// What was judged so far: shares with intervals, files, and how well judges agree.
import { useRef, useState } from "preact/hooks";
import type { Page } from "../../data";
import { UNDEFINED, counted, interval, percent } from "../../format";
import { goodShares } from "../../listing/review-sample";
import { agreementOf } from "../../judges";
import { type Judgements, exported, imported } from "../../review";
import { download } from "../../save";
import { Table } from "../../table";
import type { Reviewing } from "./reviewing";

interface Judge {
  name: string;
  judgements: Judgements;
}

export function Exchange({ page, review }: { page: Page; review: Reviewing }) {
  const [judges, setJudges] = useState<Judge[]>([]);
  const { judgements, save, say } = review;
  const readOwn = async (files: File[]) => {
    const { judgements: found, strangers } = imported(await files[0].text(), page.pairs);
    save({ ...judgements, ...found }, `${counted(Object.keys(found).length, "judgement")} read${strangers ? `; ${strangers} are of pairs that this page does not have` : ""}.`);
  };
  const readOthers = async (files: File[]) => {
    const read = await Promise.all(files.map(async (file) => ({ name: file.name, judgements: imported(await file.text(), page.pairs).judgements })));
    setJudges((old) => [...old.filter((one) => !read.some(({ name }) => name === one.name)), ...read]);
  };
  return (
    <>
      <p class="tools">
        <button type="button" onClick={() => download("judgements.json", exported(page.pairs, judgements), "application/json")}>Export judgements</button>
        <FileButton text="Import judgements" read={readOwn} say={say} />
        <FileButton text="Compare with other judges" several read={readOthers} say={say} />
        <span class="note"><code>nerscope judged judgements.json</code> reads them.</span>
      </p>
      {judges.length > 0 && <Agreed judges={[{ name: "you", judgements }, ...judges].filter((one) => Object.values(one.judgements).some(Boolean))} />}
    </>
  );
}

function FileButton({ text, several, read, say }: { text: string; several?: boolean; read: (files: File[]) => Promise<void>; say: (text: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const take = async () => {
    const files = [...(field.current!.files ?? [])];
    if (!files.length) return;
    try {
      await read(files);
    } catch (error) {
      say((error as Error).message);
    }
    field.current!.value = "";
  };
  return (
    <label class="button">
      {text}
      <input ref={field} type="file" multiple={several} accept=".json,application/json" class="spoken" onChange={() => void take()} />
    </label>
  );
}

function Agreed({ judges }: { judges: Judge[] }) {
  const agreement = agreementOf(judges.map((one) => one.judgements));
  const names = judges.map(({ name }) => name).join(", ");
  if (!agreement) return <p class="note">{names}: no pair was judged by all of them.</p>;
  const kappa = agreement.kappa === null ? UNDEFINED : agreement.kappa.toFixed(2);
  return (
    <p class="agreement">
      {names}: {percent(agreement.raw)} % agreement on {counted(agreement.pairs, "pair")}, {judges.length === 2 ? "Cohen’s" : "Fleiss’"} κ = {kappa}
    </p>
  );
}

export function ShareTable({ review: { order, sample, judgements }, systems }: { review: Reviewing; systems: string[] }) {
  const body = goodShares(order, sample.length, judgements, systems).map((one) => {
    const share = one.judged ? one.good / one.judged : null;
    return [
      { text: one.system },
      { text: one.match },
      { text: String(one.pairs), value: one.pairs },
      { text: String(one.judged), value: one.judged },
      { text: String(one.good), value: one.good },
      { text: share === null ? UNDEFINED : percent(share), small: one.interval ? interval(...one.interval) : "", value: share },
    ];
  });
  // Shares by system would tell who made a pair; they wait until something is judged.
  if (!body.some(([, , , judged]) => judged.value)) return null;
  const header = ["system", "criterion", "pairs", "judged", "good", "% good"].map((text) => ({ text }));
  return <Table caption="Share judged good under each criterion" header={header} rows={body} note="From the sample alone, with Wilson’s 95 % interval; a complete review has no interval." />;
}
