// The same correction at several places: one decision for all of them, or all but some.
import { useState } from "preact/hooks";
import type { DecideGroup } from "../decide-data";
import { count, counted, percent } from "../format";
import { chooseQuietly, type Place as Address } from "../state";
import { Actions } from "./card";
import { useKeys } from "./keys";
import { Mark } from "./list";
import { type Choice, type Place, isDecided, optionChoice, skipChoice } from "./model";
import type { Session } from "./session";

const NONE = "–"; // instead of a mention
const AROUND = 8; // tokens on each side of a place
const ROWS = 20;

export function GroupsView({ session, address }: { session: Session; address: Address }) {
  const { model, choices, by } = session;
  const { groups } = model.page;
  const at = Math.max(0, Math.min(groups.length - 1, Number(address.chosen.get("group") ?? 0) || 0));
  const [out, setOut] = useState<ReadonlySet<string>>(new Set()); // keys of places that were taken out
  const members = groups[at].items.map((item) => model.places[item]);
  const taken = members.filter(({ key }) => !out.has(key));
  const goTo = (next: number) => {
    if (next >= 0 && next < groups.length) chooseQuietly({ group: String(next) });
  };
  const decide = (choiceOf: (place: Place) => Choice) => {
    const made = session.decide(taken.map((place) => [place, choiceOf(place)]));
    const isOpen = (group: DecideGroup) => group.items.some((item) => made[model.places[item].key] === undefined);
    goTo([...groups.keys()].find((k) => k > at && isOpen(groups[k])) ?? at + 1);
  };
  const undo = () => {
    const key = session.undo();
    const back = groups.findIndex((group) => group.items.some((item) => model.places[item].key === key));
    if (back >= 0) goTo(back);
  };
  const n = counted(taken.length, "place");
  const actions = [
    { key: "a", title: `Accept the proposal at ${n}`, isDisabled: !taken.length, run: () => decide((place) => optionChoice(place, 1, by)) },
    { key: "g", title: `Keep gold at ${n}`, isDisabled: !taken.length, run: () => decide((place) => optionChoice(place, 0, by)) },
    { key: "s", title: "Skip", isDisabled: !taken.length, run: () => decide(() => skipChoice(by)) },
    { key: "u", title: "Undo", run: undo },
    { key: "k", title: "Previous", isDisabled: at === 0, run: () => goTo(at - 1) },
    { key: "j", title: "Next", isDisabled: at === groups.length - 1, run: () => goTo(at + 1) },
  ];
  useKeys(Object.fromEntries(actions.filter((action) => !action.isDisabled).map(({ key, run }) => [key, run])));
  const toggle = (key: string) => {
    const next = new Set(out);
    if (!next.delete(key)) next.add(key);
    setOut(next);
  };
  const done = groups.filter((group) => group.items.every((item) => isDecided(choices[model.places[item].key]))).length;
  return (
    <>
      <p class="progress" role="status">{count(done)} of {counted(groups.length, "group")} decided</p>
      <div class="desk">
        <GroupCard session={session} group={groups[at]} members={members} out={out} onToggle={toggle}>
          <Actions actions={actions} />
        </GroupCard>
        <GroupList session={session} at={at} onChoose={goTo} />
      </div>
    </>
  );
}

interface CardProps {
  session: Session;
  group: DecideGroup;
  members: Place[];
  out: ReadonlySet<string>;
  onToggle: (key: string) => void;
  children: preact.ComponentChildren;
}

function GroupCard({ session, group, members, out, onToggle, children }: CardProps) {
  const reasons = members[0].reasons;
  return (
    <article class="card">
      <p class="where">{counted(group.items.length, "place")} · <b>{group.kind}</b> · probability up to {percent(group.score, 0)} %</p>
      <p class="correction">{group.gold === NONE ? "no mention" : <del>{group.gold}</del>} → <ins>{group.proposed === NONE ? "no mention" : group.proposed}</ins></p>
      {reasons.length > 0 && <ul class="reasons">{reasons.map((reason) => <li key={reason}>{reason}</li>)}</ul>}
      {children}
      <fieldset class="members">
        <legend>Places; take out those to which it does not apply</legend>
        {members.map((place) => (
          <label key={place.key}>
            <input type="checkbox" checked={!out.has(place.key)} onChange={() => onToggle(place.key)} />
            <Mark how={session.choices[place.key]?.how} />
            <Snippet session={session} place={place} />
            <small>{session.model.page.sentences[place.sentence].place}</small>
          </label>
        ))}
      </fieldset>
    </article>
  );
}

function Snippet({ session: { model }, place: { sentence, start, end } }: { session: Session; place: Place }) {
  const { words, page } = model;
  const size = page.sentences[sentence].tokens.length;
  const [from, to] = [Math.max(0, start - AROUND), Math.min(size, end + AROUND)];
  return (
    <span class="snippet" dir={words.isRightToLeft(sentence) ? "rtl" : "auto"}>
      {from > 0 && "… "}{words.text(sentence, from, start)}{words.gap(sentence, start)}
      <mark>{words.text(sentence, start, end)}</mark>
      {words.gap(sentence, end)}{words.text(sentence, end, to)}{to < size && " …"}
    </span>
  );
}

function GroupList({ session, at, onChoose }: { session: Session; at: number; onChoose: (at: number) => void }) {
  const { choices, model } = session;
  const { groups } = model.page;
  const first = Math.max(0, Math.min(at - Math.floor(ROWS / 2), groups.length - ROWS));
  const howOf = (group: DecideGroup) => {
    const made = group.items.map((item) => choices[model.places[item].key]);
    return made.every(Boolean) ? made[0]!.how : undefined;
  };
  return (
    <nav class="list" aria-label="Groups">
      <ol start={first + 1}>
        {groups.slice(first, first + ROWS).map((group, k) => (
          <li key={first + k}>
            <button type="button" aria-current={first + k === at ? "true" : undefined} onClick={() => onChoose(first + k)}>
              <Mark how={howOf(group)} /> <bdi>{group.gold} → {group.proposed}</bdi> <small>{group.items.length} ×</small>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
