// Decisions on a page: choices, the mentions that follow from them, and files of them.
import { describe, expect, it } from "vitest";
import type { DecideItem, DecidePage, DecideSpan } from "../src/decide-data";
import { exported, exportedSample, imported } from "../src/decide/exchange";
import { filtered, nextOpen, progressOf, wantedOf } from "../src/decide/filter";
import { type Choices, draftOf, editChoice, mentionsOf, modelOf, optionChoice, skipChoice, withSpan } from "../src/decide/model";
import { Words } from "../src/words";

const span = (start: number, end: number, type: string): DecideSpan => ({ start, end, type });

function item(sentence: number, start: number, end: number, options: [string[], DecideSpan[]][], more: Partial<DecideItem> = {}): DecideItem {
  const kind = "type";
  return { sentence, start, end, kind, current: [], options: options.map(([names, spans]) => ({ names, spans })), score: null, reasons: [], group: null, ...more };
}

function page(more: Partial<DecidePage>): DecidePage {
  const base = { title: "", date: "", version: "", names: [], types: ["PER", "LOC"], nested: false, summary: [], tables: [], notes: [], commands: [] };
  return { ...base, kind: "agreement", sentences: [], items: [], groups: [], sample: [], ...more };
}

const sentence = (number: number, text: string, gold: DecideSpan[] = []) =>
  ({ file: "a.conll", sentence: number, place: `a.conll:${number}`, tokens: text.split(" "), glued: null, before: "", after: "", gold });

/** Two disagreements in "Ada Lee met Bob in Rome", where all have Rome; one in "Nobody". */
const adjudication = () =>
  modelOf(
    page({
      names: ["ann", "ben", "eve"],
      sentences: [sentence(4, "Ada Lee met Bob in Rome", [span(5, 6, "LOC")]), sentence(7, "Nobody")],
      items: [
        item(0, 0, 2, [[["ann", "eve"], [span(0, 2, "PER")]], [["ben"], [span(0, 1, "PER")]]], { kind: "boundary" }),
        item(0, 3, 4, [[["ann"], [span(3, 4, "PER")]], [["ben"], []]], { kind: "missing" }),
        item(1, 0, 1, [[["ann"], []], [["ben"], [span(0, 1, "LOC")]]], { kind: "missing" }),
      ],
    }),
  );

/** Two suspects in one sentence of gold, which is in the sample too; a broken one in another. */
const audit = () => {
  const [wrong, right] = [span(0, 1, "LOC"), span(0, 1, "PER")];
  const missing = span(2, 3, "PER");
  return modelOf(
    page({
      kind: "audit",
      sentences: [sentence(0, "Ada met Bob in Rome", [wrong, span(4, 5, "LOC")]), sentence(1, "St. Paul")],
      items: [
        item(0, 0, 1, [[["gold"], [wrong]], [["proposal"], [right]]], { current: [wrong], score: 0.9 }),
        item(0, 2, 3, [[["gold"], []], [["proposal"], [missing]]], { score: 0.5, kind: "missing" }),
        item(1, 0, 2, [], { score: 0.2, kind: "broken" }),
      ],
      sample: [1, 0],
    }),
  );
};

const itemsOf = (text: string) => JSON.parse(text) as { nerscope_decisions: number; items: Record<string, unknown>[]; unfinished?: Record<string, unknown>[] };

describe("choices", () => {
  it("replace the mentions of their place alone", () => {
    const model = adjudication();
    const choices: Choices = { [model.places[0].key]: optionChoice(model.places[0], 1, "eve") };
    expect(mentionsOf(model, choices, 0)).toEqual([span(0, 1, "PER"), span(5, 6, "LOC")]);
    choices[model.places[1].key] = optionChoice(model.places[1], 0, "eve");
    expect(mentionsOf(model, choices, 0)).toEqual([span(0, 1, "PER"), span(3, 4, "PER"), span(5, 6, "LOC")]);
    choices[model.places[0].key] = skipChoice("eve");
    expect(mentionsOf(model, choices, 0)).toEqual([span(3, 4, "PER"), span(5, 6, "LOC")]);
  });

  it("of an audit remove the mention of gold that the proposal replaces", () => {
    const model = audit();
    const [first, second] = model.places;
    const choices = { [first.key]: optionChoice(first, 1, ""), [second.key]: optionChoice(second, 0, "") };
    expect(mentionsOf(model, choices, 0)).toEqual([span(0, 1, "PER"), span(4, 5, "LOC")]);
  });

  it("may be made by hand, and are those of an option if the mentions are", () => {
    const model = adjudication();
    const [first] = model.places;
    const draft = draftOf(model, {}, first);
    expect(draft).toEqual([span(0, 2, "PER"), span(5, 6, "LOC")]);
    const same = editChoice(model, {}, first, draft, "eve");
    expect(same.how).toBe("0");
    const other = editChoice(model, {}, first, [span(0, 2, "ORG")], "eve"); // Rome is no mention either
    expect(other).toEqual({ how: "edit", removed: [span(5, 6, "LOC")], added: [span(0, 2, "ORG")], by: "eve" });
    expect(mentionsOf(model, { [first.key]: other }, 0)).toEqual([span(0, 2, "ORG")]);
  });

  it("replace overlapping mentions unless mentions may be nested", () => {
    const spans = [span(0, 3, "ORG"), span(4, 5, "LOC")];
    expect(withSpan(spans, span(2, 3, "LOC"), false)).toEqual([span(2, 3, "LOC"), span(4, 5, "LOC")]);
    expect(withSpan(spans, span(2, 3, "LOC"), true)).toEqual([span(0, 3, "ORG"), span(2, 3, "LOC"), span(4, 5, "LOC")]);
    expect(withSpan(spans, span(0, 3, "PER"), true)).toEqual([span(0, 3, "PER"), span(4, 5, "LOC")]);
  });
});

describe("files of decisions", () => {
  it("hold whole sentences, and of annotators keep undecided ones apart", () => {
    const model = adjudication();
    const [first, second, third] = model.places;
    const choices: Choices = { [first.key]: optionChoice(first, 0, "eve"), [third.key]: optionChoice(third, 1, "bob") };
    const half = exported(model, choices);
    expect([half.decided, half.unfinished]).toEqual([1, 1]);
    expect(itemsOf(half.text).items).toEqual([{ file: "a.conll", sentence: 7, text: "Nobody", gold: [], chosen: [span(0, 1, "LOC")], by: "bob" }]);
    choices[second.key] = optionChoice(second, 1, "bob");
    const { items, unfinished } = itemsOf(exported(model, choices).text);
    expect(unfinished).toBeUndefined();
    expect(items[0]).toEqual({
      file: "a.conll",
      sentence: 4,
      text: "Ada Lee met Bob in Rome",
      gold: [span(5, 6, "LOC")],
      chosen: [span(0, 2, "PER"), span(5, 6, "LOC")],
      by: "eve, bob",
    });
  });

  it("of an audit may leave suspects of a sentence undecided", () => {
    const model = audit();
    const choices = { [model.places[0].key]: optionChoice(model.places[0], 1, "") };
    const { items, unfinished } = itemsOf(exported(model, choices).text);
    expect(unfinished).toBeUndefined();
    expect(items[0]).toMatchObject({ chosen: [span(0, 1, "PER"), span(4, 5, "LOC")], by: null, places: ["0-1"] });
    expect(itemsOf(exportedSample(model, choices).text).items).toEqual([]);
  });

  it("give back the same choices", () => {
    for (const model of [adjudication(), audit()]) {
      const places = [...model.places, ...model.sample].filter(({ options }) => options.length);
      // Every choice of options at every place, undecided ones included.
      for (let code = 0; code < 3 ** places.length; code++) {
        const choices: Choices = {};
        places.forEach((place, k) => {
          const option = Math.floor(code / 3 ** k) % 3;
          if (option < place.options.length) choices[place.key] = optionChoice(place, option, "eve");
        });
        const read = imported(model, exported(model, choices).text);
        expect(read.strangers).toBe(0);
        expect(Object.keys(read.choices).sort()).toEqual(Object.keys(choices).sort());
        for (let at = 0; at < model.page.sentences.length; at++) expect(mentionsOf(model, read.choices, at)).toEqual(mentionsOf(model, choices, at));
        expect(read.choices).toEqual(choices);
      }
    }
  });

  it("by hand may name the file from elsewhere, and a changed sentence is left out", () => {
    const model = adjudication();
    const item = { file: "elsewhere/a.conll", sentence: 7, text: "Nobody", gold: [], chosen: [span(0, 1, "PER")], by: null };
    const file = (items: unknown[]) => JSON.stringify({ nerscope_decisions: 1, items });
    expect(imported(model, file([item])).choices[model.places[2].key]).toMatchObject({ how: "edit", added: [span(0, 1, "PER")] });
    const changed = [{ ...item, text: "Somebody" }, { ...item, gold: [span(0, 1, "LOC")] }, { ...item, sentence: 99 }, { ...item, chosen: [span(0, 9, "PER")] }];
    expect(imported(model, file(changed))).toEqual({ choices: {}, strangers: 4 });
  });

  it("that are none are refused in words", () => {
    const model = adjudication();
    expect(() => imported(model, "{")).toThrow("not JSON");
    for (const text of ["null", "[]", "{}", '{"nerscope_decisions": 2, "items": []}', '{"nerscope_decisions": 1, "items": {}}']) expect(() => imported(model, text)).toThrow("holds no decisions");
    for (const item of [null, {}, { text: "a", gold: [null], chosen: [] }, { text: "a", gold: [], chosen: [], places: 1 }])
      expect(() => imported(model, JSON.stringify({ nerscope_decisions: 1, items: [item] }))).toThrow("not complete");
  });
});

describe("the list", () => {
  const model = adjudication();
  const [first, second, third] = model.places;
  const shown = (query: string, choices: Choices = {}, current: string | null = null) =>
    filtered(model, choices, wantedOf(new URLSearchParams(query)), current).map(({ at }) => at);

  it("is filtered by kind, type, annotators and what was decided", () => {
    expect(shown("kind=missing")).toEqual([1, 2]);
    expect(shown("type=LOC")).toEqual([2]);
    expect(shown(`pair=${JSON.stringify(["ann", "eve"])}`)).toEqual([]);
    expect(shown(`pair=${JSON.stringify(["eve", "ben"])}`)).toEqual([0]); // eve has not annotated the others
    expect(shown("pair=nonsense")).toEqual([0, 1, 2]);
    const choices = { [first.key]: optionChoice(first, 0, ""), [second.key]: skipChoice("") };
    expect(shown("show=undecided", choices)).toEqual([2]);
    expect(shown("show=decided", choices)).toEqual([0]);
    expect(shown("show=skipped", choices)).toEqual([1]);
    expect(shown("show=undecided", choices, first.key)).toEqual([0, 2]);
  });

  it("leads to the next place that is open, from the end to the beginning", () => {
    const choices = { [second.key]: skipChoice("") };
    expect(nextOpen(model.places, choices, 0)).toBe(third);
    expect(nextOpen(model.places, choices, 2)).toBe(first);
    expect(nextOpen([first], { [first.key]: skipChoice("") }, 0)).toBeNull();
    expect(progressOf(model.places, choices)).toEqual({ all: 3, decided: 0, skipped: 1 });
  });
});

describe("words", () => {
  const words = new Words({ text: [["日本", "語"], ["a", "b"]], glued: null, number: [0, 1] });

  it("have no gap before the first and behind the last one", () => {
    expect([0, 1, 2].map((at) => words.gap(0, at))).toEqual(["", "", ""]);
    expect([0, 1, 2].map((at) => words.gap(1, at))).toEqual(["", " ", ""]);
    expect(words.text(0)).toBe("日本語");
  });
});
