// One place: its sentence, the annotations to choose from, and why it is here.
import { percent } from "../format";
import type { DecideSpan } from "../decide-data";
import { Editor } from "./editor";
import { EDIT, type Place, SKIP, WHOLE, draftOf, isOpen, mentionsOf, spelt, without } from "./model";
import { Sentence } from "./sentence";
import type { Session } from "./session";

export interface Action {
  key: string; // of the keyboard
  title: string;
  detail?: string; // the mentions that it gives
  isChosen?: boolean;
  isDisabled?: boolean;
  run: () => void;
}

interface Props {
  session: Session;
  place: Place;
  actions: Action[];
  optionKeys: string[];
  isEditing: boolean;
  onSave: (spans: DecideSpan[]) => void;
  onCancel: () => void;
  children?: preact.ComponentChildren;
}

export function Card({ session, place, actions, optionKeys, isEditing, onSave, onCancel, children }: Props) {
  const { model, choices } = session;
  return (
    <article class="card" data-key={place.key} data-choice={choices[place.key]?.how ?? ""}>
      <p class="where">
        {model.page.sentences[place.sentence].place} · <b>{place.id === WHOLE ? "whole sentence" : place.kind}</b>
        {place.score !== null && <span> · gold is wrong here with a probability of {percent(place.score, 0)} %</span>}
      </p>
      <Sentence model={model} choices={choices} place={place} keys={optionKeys} />
      {place.reasons.length > 0 && <ul class="reasons">{place.reasons.map((reason) => <li key={reason}>{reason}</li>)}</ul>}
      {!isOpen(place) && <p class="note">A sentence or a token is cut wrongly here. Broken places are listed, never applied: correct the file by hand.</p>}
      {isEditing ? (
        <Editor key={place.key} model={model} place={place} draft={draftOf(model, choices, place)} onSave={onSave} onCancel={onCancel} />
      ) : (
        <Actions actions={actions} />
      )}
      <Outcome session={session} place={place} />
      {children}
    </article>
  );
}

/** Ways to decide, each with the mentions that it gives; then what else can be done. */
export function Actions({ actions }: { actions: Action[] }) {
  const options = actions.filter(({ detail }) => detail !== undefined);
  const others = actions.filter(({ detail }) => detail === undefined);
  return (
    <>
      {options.length > 0 && <div class="actions" role="group" aria-label="Decide">{options.map(button)}</div>}
      <div class="actions" role="group" aria-label="More">{others.map(button)}</div>
    </>
  );
}

function button({ key, title, detail, isChosen, isDisabled, run }: Action) {
  return (
    <button key={key} type="button" class={detail === undefined ? undefined : "option"} aria-pressed={isChosen} aria-keyshortcuts={key} disabled={isDisabled} onClick={run}>
      <kbd>{key}</kbd> {title}
      {detail !== undefined && <bdi>{detail}</bdi>}
    </button>
  );
}

/** What was decided, in words. */
function Outcome({ session: { model, choices }, place }: { session: Session; place: Place }) {
  const choice = choices[place.key];
  if (!choice) return null;
  if (choice.how === SKIP) return <p class="outcome">Skipped.</p>;
  const who = choice.by ? ` by ${choice.by}` : "";
  const others = without(mentionsOf(model, choices, place.sentence, place), place.current);
  const here = without(mentionsOf(model, choices, place.sentence), others);
  return <p class="outcome">{choice.how === EDIT ? "Corrected" : "Decided"}{who}: <bdi>{spelt(model, place.sentence, here)}</bdi></p>;
}
