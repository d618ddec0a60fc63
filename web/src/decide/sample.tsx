// Judging a random sample: whole sentences, without proposals and scores, so that the judgement is not led by them.
import { useState } from "preact/hooks";
import type { DecideSpan } from "../decide-data";
import { chooseQuietly, type Place as Address } from "../state";
import { type Action, Card } from "./card";
import { nextOpen, progressOf } from "./filter";
import { useKeys } from "./keys";
import { List } from "./list";
import { type Choice, EDIT, type Place, editChoice, optionChoice } from "./model";
import { ProgressLine } from "./progress";
import type { Session } from "./session";

export function SampleView({ session, address }: { session: Session; address: Address }) {
  const { model, choices, by } = session;
  const [edited, setEdited] = useState<string | null>(null); // the key of the sentence
  const list = model.sample;
  const named = list[Number(address.chosen.get("judge") ?? -1)];
  const place = named ?? nextOpen(list, choices, -1) ?? list[0];
  const at = list.indexOf(place);
  const isEditing = edited === place.key;
  const goTo = (next: Place | null | undefined) => {
    setEdited(null);
    if (next) chooseQuietly({ judge: String(list.indexOf(next)) });
  };
  const decide = (choice: Choice) => goTo(nextOpen(list, session.decide([[place, choice]]), at) ?? place);
  const undo = () => {
    const key = session.undo();
    goTo(list.find((one) => one.key === key));
  };
  const how = choices[place.key]?.how;
  const detail = place.options[0].spans.map(({ start, end, type }) => `${type} ${model.words.text(place.sentence, start, end)}`).join(", ") || "no mention";
  const actions: Action[] = [
    { key: "g", title: "Gold is right", detail, isChosen: how === "0", run: () => decide(optionChoice(place, 0, by)) },
    { key: "e", title: "Correct it", isChosen: how === EDIT, run: () => setEdited(place.key) },
    { key: "u", title: "Undo", run: undo },
    { key: "k", title: "Previous", isDisabled: at === 0, run: () => goTo(list[at - 1]) },
    { key: "j", title: "Next", isDisabled: at === list.length - 1, run: () => goTo(list[at + 1]) },
  ];
  useKeys(Object.fromEntries(actions.map(({ key, run }) => [key, run])), !isEditing);
  const save = (spans: DecideSpan[]) => decide(editChoice(model, choices, place, spans, by));
  return (
    <>
      <p class="note">
        Sentences drawn at random, more of them where errors are likely. Judge them in this order, as many as you like (50 or more): their
        export corrects the scores of systems. Proposals and scores are hidden here, so that they do not lead the judgement.
      </p>
      <ProgressLine progress={progressOf(list, choices)} noun="sentence" verb="judged" />
      <div class="desk">
        <Card session={session} place={place} actions={actions} optionKeys={["g"]} isEditing={isEditing} onSave={save} onCancel={() => setEdited(null)} />
        <List session={session} list={list} at={at} onChoose={goTo} />
      </div>
    </>
  );
}
