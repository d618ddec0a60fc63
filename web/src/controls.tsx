// Small parts that sections share: choices, chips of systems, sentences made of pieces.
import { useId, useState } from "preact/hooks";
import type { Piece } from "./answers";
import { colourOf } from "./colours";
import { type Context, MEAN, pairOf } from "./context";
import { copy } from "./save";
import { choose } from "./state";

export function Select(props: {
  label: string;
  value: string;
  options: (string | { value: string; text: string })[];
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <span class="field">
      <label for={id}>{props.label}</label>
      <select id={id} value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.options.map((option) => {
          const { value, text } = typeof option === "string" ? { value: option, text: option } : option;
          return (
            <option key={value} value={value}>
              {text}
            </option>
          );
        })}
      </select>
    </span>
  );
}

/** Which dataset and which systems all sections show. */
export function Choices({ context }: { context: Context }) {
  const { page, systems, dataset } = context;
  if (page.datasets.length < 2 && page.systems.length < 2) return null;
  const toggle = (system: string) => {
    const next = systems.includes(system) ? systems.filter((one) => one !== system) : [...systems, system];
    choose({ s: next.length ? next : null });
  };
  return (
    <div class="choices">
      {page.datasets.length > 1 && (
        <Select
          label="Dataset"
          value={dataset?.name ?? MEAN}
          options={[...page.datasets.map((one) => one.name), { value: MEAN, text: "mean over all" }]}
          onChange={(value) => choose({ d: value })}
        />
      )}
      {page.systems.length > 1 && (
        <fieldset class="chips">
          <legend>Systems</legend>
          {page.systems.map((system, k) => (
            <label key={system} class="chip">
              <input type="checkbox" checked={systems.includes(system)} onChange={() => toggle(system)} />
              <span class="swatch" style={{ background: colourOf(k) }} aria-hidden="true" />
              {system}
            </label>
          ))}
        </fieldset>
      )}
    </div>
  );
}

export function Pieces({ pieces }: { pieces: Piece[] }) {
  return (
    <>
      {pieces.map(({ text, tip, href, strong }, k) => {
        const body = strong ? <strong>{text}</strong> : text;
        if (href) return <a key={k} href={href}>{body}</a>;
        return tip ? <span key={k} class="number" data-tip={tip} tabIndex={0}>{body}</span> : <span key={k}>{body}</span>;
      })}
    </>
  );
}

export function Notes({ notes }: { notes: string[] }) {
  return (
    <ul class="notes">
      {notes.map((note, k) => (
        <li key={k}>{note}</li>
      ))}
    </ul>
  );
}

/** Whether an axis begins at zero. */
export function Axis({ bars }: { bars: boolean }) {
  return (
    <Select
      label="Axis"
      value={bars ? "zero" : "fit"}
      options={[
        { value: "fit", text: "fitted to the numbers" },
        { value: "zero", text: "bars from zero" },
      ]}
      onChange={(value) => choose({ axis: value })}
    />
  );
}

export function PairChoice({ context }: { context: Context }) {
  const [a, b] = pairOf(context);
  return (
    <div class="row">
      <Select label="A" value={a} options={context.page.systems} onChange={(value) => choose({ a: value, b: value === b ? a : b })} />
      <Select label="B" value={b} options={context.page.systems} onChange={(value) => choose({ b: value, a: value === a ? b : a })} />
    </div>
  );
}

/** Keyboard shortcuts can be switched off, because voice control may trigger them by accident. */
export function KeySwitch({ heard, onChange }: { heard: boolean; onChange: (heard: boolean) => void }) {
  return (
    <label class="check note">
      <input type="checkbox" checked={heard} onChange={(event) => onChange(event.currentTarget.checked)} />
      keyboard shortcuts
    </label>
  );
}

/** What was copied last, for a moment, and how to copy. */
export function useCopied(): [string, (name: string, text: string) => void] {
  const [copied, setCopied] = useState("");
  const take = async (name: string, text: string) => {
    await copy(text);
    setCopied(name);
    setTimeout(() => setCopied(""), 1500);
  };
  return [copied, (name, text) => void take(name, text)];
}
