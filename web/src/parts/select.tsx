// A labelled choice of one among several.
import { useId } from "preact/hooks";

export type Option = string | { value: string; text: string };

export function Select(props: {
  label: string;
  value: string;
  options: Option[];
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <span class="field">
      <label for={id}>{props.label}</label>
      <select id={id} value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.options.map((option) => {
          const { value, text } = typeof option === "string" ? { value: option, text: option } : option;
          return <option key={value} value={value}>{text}</option>;
        })}
      </select>
    </span>
  );
}
