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
  const [edited, setEdited] = useState<string | null>(null); // the key of the place
  const wanted = wantedOf(address.chosen);
  const named = model.places[Number(address.chosen.get("at") ?? -1)];
  const list = filtered(model, choices, wanted, named?.key ?? null);
  const place = list.find((one) => one === named) ?? nextOpen(list, choices, -1) ?? list[0];
  const at = list.indexOf(place);
  const isEditing = place !== undefined && edited === place.key;

  const goTo = (next: Place | undefined | null) => {
    setEdited(null);
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
  // Places of the group that were decided on by themselves stay as they are.
  const members = (group?.items ?? []).map((member) => model.places[member]).filter((one) => one === place || !choices[one.key]);
  const decideGroup = (option: number) => {
    const made = session.decide(members.map((member) => [member, optionChoice(member, option, by)]));
    goTo(nextOpen(list, made, at) ?? place);
  };
  const keysOfOptions = place ? optionKeys(model.page.kind, place) : [];
  const actions: Action[] = place
    ? [
        ...placeActions(session, place, keysOfOptions, decide),
        ...(members.length > 1 ? groupActions(members.length, decideGroup) : []),
        ...(isOpen(place) ? [{ key: "e", title: "Edit", isChosen: choices[place.key]?.how === EDIT, run: () => setEdited(place.key) }] : []),
        { key: "s", title: "Skip", isChosen: choices[place.key]?.how === SKIP, run: () => decide(skipChoice(by)) },
        { key: "u", title: "Undo", run: undo },
        { key: "k", title: "Previous", isDisabled: at <= 0, run: () => goTo(list[at - 1]) },
        { key: "j", title: "Next", isDisabled: at >= list.length - 1, run: () => goTo(list[at + 1]) },
      ]
    : [{ key: "u", title: "Undo", run: undo }];
  useKeys(Object.fromEntries(actions.map(({ key, run }) => [key, run])), !isEditing);
  if (!model.places.length) return <p>Nothing to decide: {model.page.kind === "audit" ? "nothing disagrees with gold" : "all annotators agree"}.</p>;
  const save = (spans: DecideSpan[]) => decide(editChoice(model, choices, place, spans, by));
  return (
    <>
      <ProgressLine progress={progressOf(model.places, choices)} noun={model.page.kind === "audit" ? "suspect" : "disagreement"} />
      <Filters model={model} wanted={wanted} found={list.length} />
      {place ? (
        <div class="desk">
          <Card session={session} place={place} actions={actions} optionKeys={keysOfOptions} isEditing={isEditing} onSave={save} onCancel={() => setEdited(null)}>
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
