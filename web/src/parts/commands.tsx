// Commands to paste into a terminal.
import { useCopied } from "./copied";

export function Commands({ commands }: { commands: string[] }) {
  const [copied, copyAs] = useCopied();
  return (
    <ul class="commands">
      {commands.map((command) => (
        <li key={command}>
          <code>{command}</code>
          <button type="button" aria-label={`Copy ${command}`} onClick={() => copyAs(command, command)}>{copied === command ? "copied" : "Copy"}</button>
        </li>
      ))}
    </ul>
  );
}
