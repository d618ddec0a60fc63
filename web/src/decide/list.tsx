// The places around the current one, with what was decided.
import { count } from "../format";
import { type Place, SKIP } from "./model";
import type { Session } from "./session";

const ROWS = 25;

export function List({ session, list, at, onChoose }: { session: Session; list: Place[]; at: number; onChoose: (place: Place) => void }) {
  const first = Math.max(0, Math.min(at - Math.floor(ROWS / 2), list.length - ROWS));
  const rows = list.slice(first, first + ROWS);
  return (
    <nav class="list" aria-label="Places">
      {first > 0 && <p class="note">{count(first)} above</p>}
      <ol start={first + 1}>
        {rows.map((place, k) => (
          <li key={place.key}>
            <button type="button" aria-current={first + k === at ? "true" : undefined} onClick={() => onChoose(place)}>
              <Mark how={session.choices[place.key]?.how} /> <bdi>{snippet(session, place)}</bdi> {place.kind && <small>{place.kind}</small>}
            </button>
          </li>
        ))}
      </ol>
      {first + rows.length < list.length && <p class="note">{count(list.length - first - rows.length)} below</p>}
    </nav>
  );
}

export function Mark({ how }: { how: string | undefined }) {
  const [sign, words] = how === undefined ? ["○", "undecided"] : how === SKIP ? ["–", "skipped"] : ["✓", "decided"];
  return <span class={`mark ${words}`} role="img" aria-label={words}>{sign}</span>;
}

const LONGEST = 8; // tokens

/** The words of a place, or the beginning of its sentence. */
export function snippet({ model }: Session, { sentence, start, end }: Place): string {
  const isLong = end - start > LONGEST;
  return model.words.text(sentence, start, isLong ? start + LONGEST : end) + (isLong ? " …" : "");
}
