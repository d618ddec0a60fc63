import { afterEach, describe, expect, it, vi } from "vitest";
import type { Pair } from "../src/data";
import { agreementOf } from "../src/judges";
import { boundaryText, chipTitle, chipsOf, runsText } from "../src/listing/chips";
import { confusionsOf, typesOf } from "../src/listing/confusions";
import { EXPORTS, exportedRows } from "../src/listing/exports";
import { filterOf, pairValue } from "../src/listing/filter";
import { groupsOf } from "../src/listing/groups";
import { keyOf } from "../src/listing/keys";
import { listPlaces } from "../src/listing/list";
import { quickSets } from "../src/listing/quick";
import { goodShares, sampleOrder } from "../src/listing/review-sample";
import { sentenceLines } from "../src/listing/sentence-lines";
import { countText } from "../src/listing/totals";
import { keepMarks, keptMarks, marksOf, withMark } from "../src/marks";
import { brokenLines } from "../src/measure";
import { placesOf } from "../src/places";
import { pairKey } from "../src/review";
import { halfWidth, wilson } from "../src/sampling";
import { Words, searchOf } from "../src/words";
import { naiveEvents, random, randomDataset, toyContext, toyDataset, toyPage } from "./toy";

const page = toyPage();
const set = placesOf(page).set(0);

describe("chips", () => {
  const texts = (system: string, unit: number) => chipsOf(page, set.mentions, unit, set.runs(system)).map((chip) => [chip.kind, chip.text, runsText(chip)]);
  it("say what each run makes of a place, the most frequent first", () => {
    expect(texts("x", 2)).toEqual([["wrong", "… −Lee", "1/2"], ["right", "✓", "1/2"]]); // half of the runs are not most of them
    expect(texts("x", 5)).toEqual([["wrong", "ORG", "1/2"], ["missed", "missed", "1/2"]]);
    expect(texts("x", 4)).toEqual([["right", "✓", ""]]);
    expect(texts("y", 3)).toEqual([["extra", "PER", ""]]);
    expect(texts("x", 3)).toEqual([["nothing", "–", ""]]);
  });
  it("say it in words", () => expect(chipTitle("x", chipsOf(page, set.mentions, 2, set.runs("x")))).toBe("x: wrong boundary: PER “Ada” (1 of 2 runs); correct (1 of 2 runs)"));
  it("tell which words a prediction has more", () => expect(boundaryText(set.mentions, 1, 2)).toBe("… +Lee"));
  it("tell what a system says of a token", () => {
    const units = set.unitsOf("hard")!;
    expect(chipsOf(page, units, 0, [0])).toEqual([expect.objectContaining({ kind: "wrong", text: "O" })]);
    expect(chipsOf(page, units, 1, [0])).toEqual([expect.objectContaining({ kind: "wrong", text: "ORG" })]);
  });
});

describe("groups", () => {
  const groups = (by: string, query = "", given = page) => {
    const filter = filterOf(toyContext(given, `#/errors?${query}`));
    return groupsOf(given, filter, listPlaces(given, filter).entries, by, "x");
  };
  it("count texts with their confusions", () => {
    expect(groups("surface").map(({ title, about, places, errors }) => [title, about, places, errors])).toEqual([
      ["Zoe", "nothing → PER", 1, 1],
      ["met", "nothing → PER", 1, 1],
      ["Bob", "PER → nothing", 1, 1],
      ["Ada Lee", "PER boundary", 1, 0.5],
      ["New Rome", "LOC → ORG", 1, 0.5],
      ["New Rome", "LOC → nothing", 1, 0.5],
    ]);
  });
  it("are what a click on them lists", () => {
    for (const seed of [1, 2, 3]) {
      const given = toyPage({ datasets: [randomDataset(seed, 30)] });
      for (const by of ["surface", "confusion", "shape"])
        for (const group of groups(by, "system=s1", given)) {
          const query = new URLSearchParams({ system: "s1", ...(group.choices as Record<string, string>) });
          const found = listPlaces(given, filterOf(toyContext(given, `#/errors?${query}`)));
          expect([group.key, group.places, countText(group.errors)]).toEqual([group.key, found.entries.length, countText(found.errors)]);
        }
    }
  });
  it("gain what F1 gains when their errors are solved", () => {
    const dataset = randomDataset(11, 40);
    const given = toyPage({ datasets: [dataset] });
    const filter = filterOf(toyContext(given, "#/errors"));
    const events = naiveEvents(dataset).filter(({ system }) => system === "s0");
    const score = (solved: (outcome: string, gold: string | null, predicted: string | null) => boolean) =>
      ["1", "2", "3"].map((run) => {
        let [hits, gold, predicted] = [0, 0, 0];
        for (const event of events.filter(({ runName }) => runName === run)) {
          const fixed = event.outcome !== "correct" && solved(event.outcome, event.gold, event.predicted);
          if (fixed && event.gold === null) continue;
          gold += event.gold === null ? 0 : 1;
          predicted += fixed || event.predicted !== null ? 1 : 0;
          hits += fixed || event.outcome === "correct" ? 1 : 0;
        }
        return (2 * hits) / (gold + predicted);
      });
    for (const group of groupsOf(given, filter, listPlaces(given, filter).entries, "confusion", "s0")) {
      const [before, after] = [score(() => false), score((_, gold, predicted) => pairValue([gold, predicted]) === group.choices.pair)];
      expect(group.gain).toBeCloseTo(after.reduce((sum, one, k) => sum + one - before[k], 0) / 3, 9);
    }
  });
  it("gain nothing that is known where the page has a sample", () => {
    const sampled = { ...toyDataset, sentences: { ...toyDataset.sentences, sampled: true } };
    expect(groups("confusion", "", toyPage({ datasets: [sampled] }))[0].gain).toBeNull();
  });
});

describe("confusions", () => {
  const found = confusionsOf(page, filterOf(toyContext(page)), "x");
  it("are errors per run, with exact matches apart", () => {
    expect(found.get(pairValue(["PER", "PER"]))).toEqual({ types: ["PER", "PER"], errors: 0.5, exact: 1.5 });
    expect(found.get(pairValue(["LOC", null]))?.errors).toBe(0.5);
    expect(typesOf(found)).toEqual(["PER", "LOC", "ORG", null]);
  });
  it("are what their links list", () => {
    const given = toyPage({ datasets: [randomDataset(3, 40), randomDataset(4, 20)] });
    const filter = filterOf(toyContext(given));
    for (const [pair, { errors }] of confusionsOf(given, filter, "s1")) {
      const query = new URLSearchParams({ system: "s1", pair });
      expect(countText(listPlaces(given, filterOf(toyContext(given, `#/errors?${query}`))).errors)).toBe(countText(errors));
    }
  });
});

describe("a sentence in lines", () => {
  const systems = (query = "") => toyContext(page, query).systems.map((name) => ({ name, runs: set.runs(name) }));
  it("has no line for systems that are equal to gold, and one for systems that are equal", () => {
    const twice = [{ name: "one", runs: [1] }, { name: "two", runs: [1] }];
    const found = sentenceLines(page, set, 0, twice, new Set());
    expect(found.right).toEqual(["one", "two"]);
    expect(found.lines).toEqual([]);
  });
  it("has spans with their runs, and hallucinated mentions apart", () => {
    const found = sentenceLines(page, set, 0, systems(), new Set([2]));
    expect(found.lines.map(({ names, spans }) => [names, spans.map(({ start, end, runs, isHit }) => [start, end, runs, isHit])])).toEqual([
      [["x"], [[0, 1, "1/2", true], [0, 2, "1/2", true], [3, 4, "", false]]],
      [["y"], [[0, 2, "", true], [2, 3, "", false]]],
    ]);
    expect(found.foreign).toEqual([{ names: ["y"], type: "PER", text: "Zoe", isHit: false }]);
    expect(found.gold.map(({ isHit }) => isHit)).toEqual([true, false]);
  });
  it("names the systems that have no mention", () => {
    const found = sentenceLines(page, set, 1, [{ name: "silent", runs: [1] }], new Set());
    expect(found.silent).toEqual(["silent"]);
  });
  it("breaks where it may", () => {
    expect(brokenLines([3, 3, 3, 3], () => true, 7)).toEqual([[0, 2], [2, 4]]);
    expect(brokenLines([3, 3, 3, 3], (at) => at !== 2, 7)).toEqual([[0, 1], [1, 3], [3, 4]]);
    expect(brokenLines([9, 1], () => true, 5)).toEqual([[0, 1], [1, 2]]);
    expect(brokenLines([], () => true, 5)).toEqual([]);
  });
  it("breaks random sentences into lines that fit and lose nothing", () => {
    const next = random(5);
    for (let k = 0; k < 100; k++) {
      const widths = Array.from({ length: 30 }, () => 1 + Math.floor(20 * next()));
      const lines = brokenLines(widths, () => true, 40);
      expect(lines.flatMap(([from, to]) => widths.slice(from, to))).toEqual(widths);
      for (const [from, to] of lines) expect(widths.slice(from, to).reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(40);
    }
  });
});

describe("words", () => {
  const words = (text: (string | string[])[], glued: number[][] | null = null) => new Words({ ...toyDataset.sentences, number: text.map((_, k) => k), text, glued });
  it("stand as in the text where that is known", () => expect(words(["Ada , Lee"], [[1]]).text(0)).toBe("Ada, Lee"));
  it("stand close in Chinese", () => expect(words(["我 爱 Rome 。"]).text(0)).toBe("我爱 Rome 。"));
  it("keep tokens with blanks whole", () => expect(words([["a b", "c"]]).tokens(0)).toEqual(["a b", "c"]));
  it("know scripts that run to the left", () => expect([words(["(السيد )"]).isRightToLeft(0), words(["Ada"]).isRightToLeft(0)]).toEqual([true, false]));
  it("are found as they are read and as they are split", () => {
    const sentences = words(["Ada , Lee", "Bob"], [[1], []]);
    for (const text of ["ada, lee", "Ada , Lee", "/a,\\s/i"]) expect([...sentences.matching(searchOf(text))]).toEqual([1, 0]);
  });
  it("tell what is wrong with an expression", () => {
    expect(searchOf("/(/").fault).toMatch(/^Invalid regular expression/);
    expect(searchOf("/a/").fault).toBeNull();
    expect(searchOf("/").phrase).toBe("/");
  });
  it("have numbers where they have no texts", () => expect(new Words({ ...toyDataset.sentences, text: null }).text(0, 1, 3)).toBe("tokens 2–3"));
});

describe("samples", () => {
  it("leave open what Wilson's interval says", () => {
    expect(Math.round(halfWidth(60, 1968)!)).toBe(12);
    expect(wilson(0.5, 10, 10)).toEqual([0.5, 0.5]);
    expect(wilson(0, 0, 10)).toBeNull();
    const [low, high] = wilson(0.8, 50, 1e9)!;
    expect([low, high].map((one) => one.toFixed(3))).toEqual(["0.670", "0.888"]);
  });
  const side = (type: string, end: number) => ({ start: 0, end, type, text: null });
  const pairs = Array.from({ length: 40 }, (_, k): Pair => {
    const pair: Omit<Pair, "key"> = { dataset: "toy", sentence: k + 1, gold: side("PER", 1), predicted: side("PER", 2), systems: k % 2 ? { x: { left: 0.5 } } : { y: { left: 0.5 } }, judgement: "" };
    return { ...pair, key: pairKey(pair) };
  });
  it("are random, repeatable, and those of the systems", () => {
    const order = sampleOrder(pairs, ["toy"], ["x"], 1);
    expect(order).toEqual(sampleOrder(pairs, ["toy"], ["x"], 1));
    expect(order).not.toEqual(sampleOrder(pairs, ["toy"], ["x"], 2));
    expect(order.every((pair) => pair.systems.x)).toBe(true);
    expect(sampleOrder(pairs, ["other"], ["x"], 1)).toEqual([]);
  });
  it("give shares of what was judged in them", () => {
    const order = sampleOrder(pairs, ["toy"], ["x", "y"], 1);
    const judgements = Object.fromEntries(order.map(({ key }, k) => [key, k % 3 ? "good" : "bad"]));
    const found = goodShares(order, 10, judgements, ["x", "y"]);
    expect(found.reduce((sum, one) => sum + one.judged, 0)).toBe(10);
    expect(found.every((one) => one.pairs === 20 && one.interval![0] < one.good / one.judged && one.good / one.judged < one.interval![1] + 1e-9)).toBe(true);
  });
});

describe("judges", () => {
  const given = (text: string) => Object.fromEntries([...text].map((one, k) => [String(k), one === "g" ? "good" : "bad"]));
  it("agree by Cohen's kappa", () => {
    const found = agreementOf([given("ggggbbbbgb"), given("gggbbbbggb")])!;
    expect([found.pairs, found.raw, found.kappa!.toFixed(3)]).toEqual([10, 0.8, "0.600"]);
  });
  it("agree by Fleiss' kappa if they are three", () => {
    const found = agreementOf([given("gggb"), given("ggbb"), given("gbbb")])!;
    // Pairs of judges agree on 1, 1/3, 1/3, 1 of each; half of all judgements are good.
    expect([found.raw.toFixed(3), found.kappa!.toFixed(3)]).toEqual(["0.667", "0.333"]);
  });
  it("have no kappa without a difference, and no agreement alone", () => {
    expect(agreementOf([given("gg"), given("gg")])).toEqual({ pairs: 2, raw: 1, kappa: null });
    expect(agreementOf([given("gg")])).toBeNull();
    expect(agreementOf([given("gg"), {}])).toBeNull();
  });
});

describe("marks", () => {
  afterEach(() => vi.unstubAllGlobals());
  it("are kept in the browser, and found again", () => {
    const store = new Map<string, string>();
    vi.stubGlobal("localStorage", { getItem: (key: string) => store.get(key) ?? null, setItem: (key: string, value: string) => store.set(key, value) });
    const key = keyOf(set.mentions, 4);
    const marks = withMark(withMark({}, key, { pinned: true }), key, { tags: ["odd"] });
    expect(keepMarks(page, marks)).toBe(true);
    expect(keptMarks(page)).toEqual(marks);
    expect(withMark(withMark(marks, key, { pinned: false }), key, { tags: [] })).toEqual({});
    const listed = (query: string) => listPlaces(page, filterOf(toyContext(page, `#/errors?${query}`)), marksOf(page, marks, {})).entries.map(({ unit }) => unit);
    expect([listed("pinned=1"), listed("tag=odd"), listed("tag=other")]).toEqual([[4], [4], []]);
  });
  it("do without a browser that keeps nothing", () => {
    expect(keptMarks(page)).toEqual({});
    expect(keepMarks(page, {})).toBe(false);
  });
});

describe("what leaves the page", () => {
  const { entries } = listPlaces(page, filterOf(toyContext(page, "#/errors?surface=Ada+Lee")));
  const rows = exportedRows(page, entries, ["x", "y"], { [keyOf(set.mentions, 2)]: { tags: ["odd"], note: "why, now?" } });
  const written = (name: string) => EXPORTS.find((one) => one.name === name)!.write(rows, ["x", "y"]);
  it("is a table for spreadsheets", () =>
    expect(written("CSV")).toBe('place,mention,gold,x,y,tags,note,text\r\ntoy.conll:1,Ada Lee,PER,wrong boundary: PER “Ada” 1/2; correct 1/2,correct,odd,"why, now?",Ada Lee met Bob\r\n'));
  it("is JSON, a line each", () => expect(JSON.parse(written("JSON Lines"))).toMatchObject({ mention: "Ada Lee", systems: { y: "correct" }, tags: ["odd"] }));
  it("is Markdown", () => expect(written("Markdown").split("\n")[2]).toContain("| Ada Lee | PER |"));
});

describe("quick sets", () => {
  it("are those that make sense", () => {
    expect(quickSets({ systems: ["x"] })).toEqual([]);
    expect(quickSets({ systems: ["x", "y"] }).map(({ value }) => value)).toEqual(["all", "only:x", "right:x"]);
  });
});
