// Which places are shown.
import { count } from "../format";
import { Select } from "../parts/select";
import { choose } from "../state";
import { SHOWN, type Wanted, kindsOf } from "./filter";
import type { Model } from "./model";

const ANY = { value: "", text: "any" };

export function Filters({ model, wanted, found }: { model: Model; wanted: Wanted; found: number }) {
  const { kind, names, types } = model.page;
  const kinds = kindsOf(model);
  const pairs = names.flatMap((one, k) => names.slice(k + 1).map((other) => [one, other]));
  return (
    <div class="choices filters">
      <Select label="Show" value={wanted.show} options={[...SHOWN]} onChange={(show) => choose({ show: show === "all" ? null : show, at: null })} />
      {kinds.length > 1 && <Select label="Kind" value={wanted.kind} options={[ANY, ...kinds]} onChange={(value) => choose({ kind: value, at: null })} />}
      {types.length > 1 && <Select label="Type" value={wanted.type} options={[ANY, ...types]} onChange={(type) => choose({ type, at: null })} />}
      {kind === "agreement" && names.length > 2 && (
        <Select
          label="Who differ"
          value={wanted.pair ? JSON.stringify(wanted.pair) : ""}
          options={[ANY, ...pairs.map((pair) => ({ value: JSON.stringify(pair), text: pair.join(" and ") }))]}
          onChange={(pair) => choose({ pair, at: null })}
        />
      )}
      <span class="facts" data-count={found}>{count(found)} shown</span>
    </div>
  );
}
