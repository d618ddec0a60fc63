import { describe, expect, it } from "vitest";
import { contextOf } from "../src/context";
import { Rows } from "../src/data";
import { errorCount, errorsByKind, errorsOf, forgivenOf, gainOf } from "../src/kinds";
import { rowsChart } from "../src/charts/rows";
import { noteGroups } from "../src/sections/data/notes";
import { supportOf } from "../src/sections/data/sizes";
import { settingsOf } from "../src/sections/data/method";
import { columnsOf, shownRows, viewCell } from "../src/sections/data/views";
import { answerRows } from "../src/sections/summary/answers";
import { findingsOf, listedCount } from "../src/sections/summary/findings";
import { dotsOf, intervalText, supportText } from "../src/sections/summary/scores";
import { typesOf } from "../src/sections/summary/types";
import { leadText, named, tiesOf } from "../src/sections/summary/verdicts";
import type { PageFinding } from "../src/page-data";
import { parsePlace } from "../src/state";
import { toyContext as placesContext, toyPage as placesPage } from "./toy";
import { toyContext, toyDataset, toyError, toyPage, toyRow, toyVerdict } from "./summary-toy";

const verdicts = (...rows: ReturnType<typeof toyVerdict>[]) => ({
  comparison: { settings: {}, verdicts: rows, ranking: [], rows: [], overDatasets: [], changes: [], notes: [] },
});

describe("systems", () => {
  it("are sorted by the chosen dataset; one without a complete mean comes last", () => {
    expect(toyContext("#/summary?d=one").systems).toEqual(["x", "y", "z"]);
    expect(toyContext("#/summary").systems).toEqual(["y", "x", "z"]);
    expect(toyContext("#/summary?d=one&s=z&s=y").systems).toEqual(["y", "z"]);
  });
});

describe("the answer of the ladder", () => {
  it("says that the best system is better than one, or than all", () => {
    const both = verdicts(toyVerdict({}), toyVerdict({ b: "z", p: 0.0001, pCorrected: 0.0002, difference: 0.2 }));
    expect(leadText(toyContext("#/summary?d=one", both)).answer).toBe("x is better than all 2 others");
    expect(leadText(toyContext("#/summary?d=one", both)).detail).toBe("closest: y, +10.0 points, 95 % interval +5.0 to +15.0, p = 0.003 corrected for 3 pairs");
    expect(leadText(toyContext("#/summary?d=one&s=x&s=z", both)).answer).toBe("x is better than z");
  });
  it("turns a verdict that names the pair the other way round", () => {
    const turned = verdicts(toyVerdict({ a: "y", b: "x", difference: -0.1, low: -0.15, high: -0.05, verdict: "worse" }));
    expect(leadText(toyContext("#/summary?d=one&s=x&s=y", turned)).answer).toBe("x is better than y");
  });
  it("names those that do not differ clearly, and how many do", () => {
    const mixed = verdicts(toyVerdict({ verdict: "no clear difference", pCorrected: 0.4 }), toyVerdict({ b: "z" }));
    expect(leadText(toyContext("#/summary?d=one", mixed)).answer).toBe("No clear difference between x and y; better than z");
  });
  it("does not claim a test of another metric, or one that was not made", () => {
    const others = verdicts(toyVerdict({}));
    const precision = [...toyPage().rows, toyRow({ metric: "precision", value: 0.9 })];
    expect(leadText(toyContext("#/summary?d=one&m=precision", { ...others, rows: precision }))).toEqual({
      answer: "x has the highest score",
      detail: "Differences are tested for F1: choose it above.",
    });
    const untested = verdicts(toyVerdict({ verdict: "not tested", pCorrected: null, untested: "one document" }));
    expect(leadText(toyContext("#/summary?d=one&s=x&s=y", untested))).toEqual({ answer: "x leads; not tested against y", detail: "one document" });
    expect(leadText(toyContext("#/summary?d=one", others)).answer).toBe("x leads; not all differences are tested");
  });
  it("takes the verdict over all datasets where the mean is shown", () => {
    const over = verdicts(toyVerdict({}), toyVerdict({ dataset: null, verdict: "worse", difference: -0.05 }));
    expect(leadText(toyContext("#/summary?s=x&s=y", over)).answer).toBe("y is better than x");
  });
  it("names at most two systems", () => {
    expect([named(["a"]), named(["a", "b"]), named(["a", "b", "c"]), named(["a", "b", "c", "d"])]).toEqual(["a", "a and b", "a, b and 1 other", "a, b and 2 others"]);
  });
});

describe("brackets", () => {
  const ranking = (groups: Record<string, string>) =>
    ({ comparison: { ...verdicts(toyVerdict({})).comparison, ranking: Object.entries(groups).map(([system, letters], k) => ({ dataset: "one", system, place: k + 1, groups: letters })) } });
  it("join shown systems that share a letter", () => {
    expect(tiesOf(toyContext("#/summary?d=one", ranking({ x: "a", y: "ab", z: "b" }))).map(({ rows }) => rows)).toEqual([[0, 1], [1, 2]]);
  });
  it("leave out groups of one, and those inside another one", () => {
    expect(tiesOf(toyContext("#/summary?d=one", ranking({ x: "a", y: "b", z: "c" })))).toEqual([]);
    expect(tiesOf(toyContext("#/summary?d=one&s=x&s=y", ranking({ x: "ab", y: "ab", z: "b" }))).map(({ rows }) => rows)).toEqual([[0, 1]]);
  });
});

describe("errors by kind", () => {
  const errors = [
    toyError({ n: 3 }),
    toyError({ run: "2", n: 4 }),
    toyError({ outcome: "correct", predicted: "LOC", n: 99 }),
    toyError({ outcome: "split", predicted: "LOC", n: 2 }),
    toyError({ outcome: "spurious", gold: null, predicted: "PER", n: 5 }),
    toyError({ dataset: "two", n: 6 }),
  ];
  it("are means over runs, and sums over datasets", () => {
    const one = errorsByKind(toyContext("#/summary?d=one", { errors }), "x").map(({ kind, n }) => [kind.name, n]);
    expect(one).toEqual([["missed", 3.5], ["spurious", 2.5], ["wrong boundary", 1]]);
    const both = errorsOf(toyContext("#/summary", { errors }), "x", { kind: "missed" });
    expect(both).toEqual({ n: 6.5, href: "#/errors?system=x&kind=missed", count: "6.5" });
  });
  it("are only those that lower the chosen metric", () => {
    const rows = [toyRow({ metric: "precision" }), toyRow({ metric: "recall" })];
    const kinds = (metric: string) => errorsByKind(toyContext(`#/summary?m=${metric}`, { errors, rows }), "x").map(({ kind }) => kind.name);
    expect(kinds("precision")).toEqual(["spurious", "wrong boundary"]);
    expect(kinds("recall")).toEqual(["missed", "wrong boundary"]);
  });
  it("have at most one decimal", () => {
    expect([errorCount(1234.56), errorCount(2), errorCount(0.04)]).toEqual(["1,234.6", "2", "0"]);
  });
  it("have gains whose mean is unknown where one is", () => {
    const gains = [{ dataset: "one", system: "x", kind: "missed", errors: 3, gain: 0.1 }];
    expect(gainOf(toyContext("#/summary?d=one", { gains }), "x", "missed")).toBe(0.1);
    expect(gainOf(toyContext("#/summary", { gains }), "x", "missed")).toBeNull();
    const forgiven = [{ dataset: "one", system: "x", f1: 0.8 }, { dataset: "two", system: "x", f1: 0.6 }];
    expect(forgivenOf(toyContext("#/summary", { forgiven }), "x")).toBeCloseTo(0.7);
  });
});

describe("the headline", () => {
  it("has a dot for each run, or for each dataset of a mean", () => {
    expect(dotsOf(toyContext("#/summary?d=one"), "x").map(({ value }) => value)).toEqual([0.85, 0.95]);
    expect(dotsOf(toyContext("#/summary?d=one"), "y")).toEqual([]); // one run is the score itself
    expect(dotsOf(toyContext("#/summary"), "x")).toEqual([{ name: "one", value: 0.9 }, { name: "two", value: 0.6 }]);
  });
  it("says what its numbers rest on", () => {
    const context = toyContext("#/summary?d=one");
    expect(supportText(toyRow({ n: 5648 }))).toBe("n = 5,648 gold mentions");
    expect(supportText(toyRow({ n: 1, metric: "precision" }))).toBe("n = 1 predicted mention");
    expect(intervalText(context, toyRow({ clusters: 231 }))).toBe("95 % interval 20.0 to 80.0, over 231 documents");
    expect(intervalText(context, toyRow({ low: null }))).toBe("");
  });
});

describe("things to know", () => {
  const finding = (changes: Partial<PageFinding>): PageFinding => ({ rule: "r", scope: null, dataset: null, system: null, text: JSON.stringify(changes), n: null, link: null, ...changes });
  const findings = [finding({ system: "x" }), finding({}), finding({ scope: "one", system: "x" }), finding({ scope: "one" }), finding({ scope: "two" })];
  it("are of the chosen dataset, or of all, and of shown systems", () => {
    const shown = (address: string) => findingsOf(toyContext(address, { findings })).map((one) => findings.indexOf(one));
    expect(shown("#/summary")).toEqual([0, 1]);
    expect(shown("#/summary?d=one")).toEqual([2, 3]);
    expect(shown("#/summary?d=one&s=y")).toEqual([3]);
  });
  it("are at most five", () => {
    expect(findingsOf(toyContext("#/summary", { findings: Array(7).fill(findings[1]) }))).toHaveLength(5);
  });
});

describe("types", () => {
  it("are sorted by support; without gold mentions they are left out", () => {
    const rows = [toyRow({}), toyRow({ type: "LOC", n: 4 }), toyRow({ type: "PER", n: 9 }), toyRow({ type: "NONE", n: 0, value: null })];
    const datasets = [toyDataset("one", { types: ["LOC", "NONE", "PER"] })];
    expect(typesOf(toyContext("#/summary", { rows, datasets })).known).toEqual([{ type: "PER", n: 9 }, { type: "LOC", n: 4 }]);
  });
  it("of a mean are those of every dataset; the others are named", () => {
    const rows = [toyRow({ type: "LOC" }), toyRow({ type: "LOC", dataset: "two" }), toyRow({ type: "PER" })];
    expect(typesOf(toyContext("#/summary", { rows }))).toEqual({ known: [{ type: "LOC", n: 80 }], partial: ["PER"] });
  });
  it("eighteen of them are no higher than 400 pixels", () => {
    const point = { name: "x", text: "50.0", place: 0, value: 50, low: null, high: null, tip: "" };
    const rows = Array.from({ length: 18 }, (_, k) => ({ key: `${k}`, label: `T${k}`, points: [point] }));
    const drawn = rowsChart({ label: "", rows, axis: "F1 (%)", together: true, percent: true }, 600);
    expect(drawn.props.height).toBeLessThanOrEqual(400);
  });
});

describe("answers of language models", () => {
  const answer = { system: "x", run: "1", answers: 9, unreadable: 1, cutOff: 0, malformed: 0, repeated: 0, foreignTypes: 0, hallucinated: 2, predicted: 8, topHallucinated: [], f1: 0.5, f1Without: 0.6 };
  it("have a row per dataset and shown system, its runs together", () => {
    const datasets = [toyDataset("one", { answers: [answer, { ...answer, run: "2" }] }), toyDataset("two")];
    const rows = (address: string) => answerRows(toyContext(address, { datasets })).map(({ dataset, system, runs }) => [dataset, system, runs.length]);
    expect(rows("#/summary")).toEqual([["one", "x", 2]]);
    expect(rows("#/summary?d=two")).toEqual([]);
    expect(rows("#/summary?s=y")).toEqual([]);
  });
});

describe("data and method", () => {
  it("groups notes by severity and file, warnings first", () => {
    const note = (text: string, severity: "warning" | "note", file: string | null) => ({ text, severity, file });
    const groups = noteGroups([note("a", "note", "f"), note("b", "note", null), note("c", "warning", "f"), note("d", "note", "f")]);
    expect(groups.map(({ severity, file, texts }) => [severity, file, texts.join()])).toEqual([["warning", "f", "c"], ["note", null, "b"], ["note", "f", "a,d"]]);
  });
  it("counts gold mentions of types and levels", () => {
    const page = toyPage({ rows: [toyRow({ metric: "recall", type: "LOC", n: 7 }), toyRow({ metric: "recall", facet: "tmr", level: "seen", n: 5 })] });
    const context = contextOf(page, new Rows(page), parsePlace("#/data"));
    expect(supportOf(context, page.datasets[0], { type: "LOC" })).toBe(7);
    expect(supportOf(context, page.datasets[0], { level: "seen" })).toBe(5);
    expect(supportOf(context, page.datasets[1], { type: "LOC" })).toBeNull();
  });
  it("shows settings of all data and of the chosen dataset", () => {
    const setting = (dataset: string | null) => ({ dataset, name: "scheme", value: "bio", about: "" });
    expect(settingsOf([setting(null), setting("one"), setting("two")], "two").map(({ dataset }) => dataset)).toEqual([null, "two"]);
  });
  it("shows views of what is chosen, and columns that say something", () => {
    const rows = [{ dataset: "one", system: "x", p: 0.01, empty: null }, { dataset: "two", system: "x", p: null, empty: [] }, { a: "x", b: "z", p: 1 }];
    expect(shownRows(toyContext("#/data?d=one&s=x&s=y"), rows)).toEqual([rows[0]]);
    expect(columnsOf(rows)).toEqual(["dataset", "system", "p", "a", "b"]);
  });
  it("writes the cells of views", () => {
    const text = (key: string, value: unknown) => viewCell(key, value).text;
    expect([text("gap", 0.085), text("best_value", 0.9356), text("p", 0.00001), text("zeta", 1.43626), text("zeta", 0.00042), text("x", null), text("significant", true), text("datasets", ["a", "b"])]).toEqual(
      ["+8.5", "93.6", "< 0.001", "1.436", "0.00042", "–", "yes", "a, b"],
    );
  });
});

describe("the list of a thing to know", () => {
  const context = toyContext("#/summary", { errors: [toyError({ n: 3 })], datasets: [toyDataset("one", { folded: true })] });
  it("is counted as the list counts it", () => {
    const page = placesPage();
    const count = (chosen: Record<string, string>) => listedCount(placesContext(page), { section: "errors", chosen });
    expect([count({ system: "x" }), count({ system: "x", kind: "missed" }), count({ pattern: "all" })]).toEqual(["1.5", "0.5", "0"]);
  });
  it("is not guessed where errors are not counted, or another section is opened", () => {
    expect(listedCount(context, { section: "where", chosen: {} })).toBeUndefined();
    expect(listedCount({ ...context, page: { ...context.page, errors: [] } }, { section: "errors", chosen: { system: "x" } })).toBeUndefined();
  });
});
