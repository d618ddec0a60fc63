// The places one after another: a list, the current place, and keys.
import { useState } from "preact/hooks";
import type { DecideSpan } from "../decide-data";
import { counted } from "../format";
import { choose, chooseQuietly, type Place as Address } from "../state";
import { type Action, Card } from "./card";
import { Filters } from "./filters";
import { filtered, nextOpen, progressOf, wantedOf } from "./filter";
import { useKeys } from "./keys";
import { List } from "./list";
import { type Choice, EDIT, type Place, SKIP, editChoice, isOpen, optionChoice, skipChoice } from "./model";
import { ProgressLine } from "./progress";
import type { Session } from "./session";

export function DecideView({ session, address }: { session: Session; address: Address }) {
  const { model, choices, by } = session;
  const [isEditing, setEditing] = useState(false);
  const wanted = wantedOf(address.chosen);
  const named = model.places[Number(address.chosen.get("at") ?? -1)];
  const list = filtered(model, choices, wanted, named?.key ?? null);
  const place = list.find((one) => one === named) ?? nextOpen(list, choices, -1) ?? list[0];
  const at = list.indexOf(place);

  const goTo = (next: Place | undefined | null) => {
    setEditing(false);
    if (next) chooseQuietly({ at: String(next.at) });
  };
  const decide = (choice: Choice) => {
    const made = session.decide([[place, choice]]);
    goTo(nextOpen(list, made, at) ?? place);
  };
  const undo = () => {
    const key = session.undo();
    const back = model.places.find((one) => one.key === key);
    if (back) goTo(back);
  };
  const group = place?.group === null || !place ? null : model.page.groups[place.group];
  const decideGroup = (option: number) => {
    const members = group!.items.map((member) => model.places[member]);
    const made = session.decide(members.map((member) => [member, optionChoice(member, option, by)]));
    goTo(nextOpen(list, made, at) ?? place);
  };
  const keysOfOptions = place ? optionKeys(model.page.kind, place) : [];
  const actions: Action[] = place
    ? [
        ...placeActions(session, place, keysOfOptions, decide),
        ...(group ? groupActions(group.items.length, decideGroup) : []),
        ...(isOpen(place) ? [{ key: "e", title: "Edit", isChosen: choices[place.key]?.how === EDIT, run: () => setEditing(true) }] : []),
        { key: "s", title: "Skip", isChosen: choices[place.key]?.how === SKIP, run: () => decide(skipChoice(by)) },
        { key: "u", title: "Undo", run: undo },
        { key: "k", title: "Previous", isDisabled: at <= 0, run: () => goTo(list[at - 1]) },
        { key: "j", title: "Next", isDisabled: at >= list.length - 1, run: () => goTo(list[at + 1]) },
      ]
    : [{ key: "u", title: "Undo", run: undo }];
  useKeys({ ...Object.fromEntries(actions.map(({ key, run }) => [key, run])), ...numberKeys(place, decide, by) }, !isEditing);
  if (!model.places.length) return <p>Nothing to decide: {model.page.kind === "audit" ? "nothing disagrees with gold" : "all annotators agree"}.</p>;
  const save = (spans: DecideSpan[]) => decide(editChoice(model, choices, place, spans, by));
  return (
    <>
      <ProgressLine progress={progressOf(model.places, choices)} noun={model.page.kind === "audit" ? "suspect" : "disagreement"} />
      <Filters model={model} wanted={wanted} found={list.length} />
      {place ? (
        <div class="desk">
          <Card session={session} place={place} actions={actions} optionKeys={keysOfOptions} isEditing={isEditing} onSave={save} onCancel={() => setEditing(false)}>
            {group && <p class="note">The same correction {counted(group.items.length, "time")}: <a href={`#/groups?group=${place.group}`}>see all its places</a>.</p>}
          </Card>
          <List session={session} list={list} at={at} onChoose={(next) => choose({ at: String(next.at) })} />
        </div>
      ) : (
        <p class="note">No place fits. <button type="button" onClick={() => choose({ show: null, kind: null, type: null, pair: null })}>Clear</button></p>
      )}
    </>
  );
}

/** Digits for annotators; letters for gold and proposal. */
function optionKeys(kind: string, place: Place): string[] {
  return kind === "audit" ? ["g", "a"] : place.options.map((_, k) => String(k + 1));
}

/** Of a page with letters, digits work too. */
function numberKeys(place: Place | undefined, decide: (choice: Choice) => void, by: string): Record<string, () => void> {
  const options = place?.options.slice(0, 9) ?? [];
  return Object.fromEntries(options.map((_, k) => [String(k + 1), () => decide(optionChoice(place!, k, by))]));
}

function placeActions({ model, choices, by }: Session, place: Place, keys: string[], decide: (choice: Choice) => void): Action[] {
  const isAudit = model.page.kind === "audit";
  const made = place.options.map(({ names, spans }, k) => ({
    key: keys[k],
    title: isAudit ? ["Keep gold", "Accept the proposal"][k] : names.join(", "),
    detail: spans.map(({ start, end, type }) => `${type} ${model.words.text(place.sentence, start, end)}`).join(", ") || "no mention",
    isChosen: choices[place.key]?.how === String(k),
    run: () => decide(optionChoice(place, k, by)),
  }));
  return isAudit ? made.reverse() : made;
}

function groupActions(n: number, decide: (option: number) => void): Action[] {
  return [
    { key: "A", title: `Accept all ${n}`, run: () => decide(1) },
    { key: "G", title: `Keep gold in all ${n}`, run: () => decide(0) },
  ];
}
