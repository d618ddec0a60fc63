// How much is decided.
import { count, counted } from "../format";
import type { Progress } from "./filter";

export function ProgressLine({ progress: { all, decided, skipped }, noun, verb = "decided" }: { progress: Progress; noun: string; verb?: string }) {
  return (
    <p class="progress" role="status">
      <progress max={Math.max(1, all)} value={decided} aria-label="Progress" />{" "}
      {count(decided)} of {counted(all, noun)} {verb}{skipped > 0 && `, ${count(skipped)} skipped`}
      {all > 0 && decided + skipped === all && <b> · Done: export the decisions.</b>}
    </p>
  );
}
