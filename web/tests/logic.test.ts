import { describe, expect, it } from "vitest";
import { answer, facing, overall } from "../src/answers";
import { diverging } from "../src/colours";
import { Rows, parsePage, recordsOf } from "../src/data";
import { interval, pText, percent, points } from "../src/format";
import { lanesOf } from "../src/lanes";
import { exported, imported, pairKey, shares } from "../src/review";
import { parsePlace, placeHref } from "../src/state";
import { fileName } from "../src/save";
import { asCsv, asLatex, asMarkdown } from "../src/tables";
import { toyDifference, toyPage, toyPair, toyRow } from "./toy";

const told = (page = toyPage()) => answer(page, new Rows(page), "toy").map((piece) => piece.text).join("");

describe("numbers as text", () => {
  it.each([
    [null, "–"],
    [0, "0.0"],
    [1, "100.0"],
    [0.99999, "99.9"],
    [0.00001, "0.1"],
    [0.930274, "93.0"],
  ])("%s in percent is %s", (value, text) => expect(percent(value)).toBe(text));

  it.each([
    [0.008, "+0.8"],
    [-0.2, "−20.0"],
    [0, "0"],
    [0.0001, "+<0.1"],
    [null, "–"],
  ])("a difference of %s is %s", (value, text) => expect(points(value)).toBe(text));

  it.each([
    [null, "not tested"],
    [0.0001, "p < 0.001"],
    [0.0239, "p = 0.024"],
    [0.46, "p = 0.46"],
  ])("p of %s is %s", (p, text) => expect(pText(p)).toBe(text));

  it("leaves an interval out that is not there", () => expect(interval(null, 0.3)).toBe(""));
  it("shows an interval of counts as counts", () =>
    expect(interval(246, 479.5, { title: "missed", better: -1, fraction: false, about: "" })).toBe("[246, 479.5]"));
});

describe("records", () => {
  it("come back from columns", () => {
    const table = { size: 2, columns: { type: { of: [null, "LOC"], at: [1, 0] }, n: [3, null] } };
    expect(recordsOf(table)).toEqual([
      { type: "LOC", n: 3 },
      { type: null, n: null },
    ]);
  });

  it("are read with the page", () => {
    const page = toyPage();
    const empty = { size: 0, columns: {} };
    const text = JSON.stringify({ ...page, rows: empty, confusion: empty, comparison: null });
    expect(parsePage(text).rows).toEqual([]);
  });
});

describe("rows", () => {
  it("are averaged over the datasets, if all have them", () => {
    const page = toyPage({
      datasets: ["one", "two"].map((name) => ({ ...toyPage().datasets[0], name })),
      rows: [toyRow({ dataset: "one", value: 0.4 }), toyRow({ dataset: "two", value: 0.6 }), toyRow({ dataset: "one", system: "y" })],
    });
    const mean = (system: string) => new Rows(page).get({ dataset: null, system, metric: "f1" });
    expect(mean("x")).toMatchObject({ value: 0.5, n: 6, dataset: "mean of 2 datasets", low: null });
    expect(mean("y")).toBeNull();
  });

  it("are nothing where there is none", () => {
    expect(new Rows(toyPage()).get({ dataset: "toy", system: "x", metric: "recall" })).toBeNull();
  });
});

describe("the answer in words", () => {
  it("names the best, whom it beats significantly, and where it is weakest", () => {
    expect(told()).toBe(
      "y 70.0 [40.0, 90.0] F1; significantly better than x (+20.0, p = 0.002); weakest on mentions seen only with another type (13.3, n = 30) and words never seen in training (40.0 % wrong, n = 12).",
    );
  });

  it("speaks of outputs where each system has one run", () => {
    const page = toyPage({ comparison: { ...toyPage().comparison!, rows: [toyDifference({ about: "outputs" })] } });
    expect(told(page)).toContain("; its output is significantly better than that of x (+20.0, p = 0.002)");
  });

  it("does not claim what is not sure", () => {
    const page = toyPage({ comparison: { ...toyPage().comparison!, rows: [toyDifference({ p_corrected: 0.2 })] } });
    expect(told(page)).toContain("no significant difference from x (+20.0, p = 0.20)");
  });

  it("says why nothing was tested", () => {
    const page = toyPage({ comparison: { ...toyPage().comparison!, rows: [toyDifference({ p: null, p_corrected: null, untested: "too few differ" })] } });
    expect(told(page)).toContain("no significant difference from x (+20.0, too few differ)");
  });

  it("says so if there is no score", () => expect(told(toyPage({ rows: [] }))).toBe("No system has a score here."));

  it("turns a difference round with its interval", () => {
    expect(facing(toyDifference({}), "y")).toMatchObject({ system_a: "y", difference: 0.2, low: 0.1, high: 0.3, a: 0.7 });
    expect(overall(toyPage(), "toy", "y", "x")?.difference).toBe(0.2);
    expect(overall(toyPage(), "toy", "y", "z")).toBeNull();
  });
});

describe("lanes of spans", () => {
  const lanes = (...spans: [number, number][]) => lanesOf(spans.map(([start, end]) => ({ start, end })));
  it("keeps spans apart that cross", () => expect(lanes([0, 2], [1, 3])).toEqual([0, 1]));
  it("puts what is nested into another lane than what holds it", () => expect(lanes([1, 2], [0, 3])).toEqual([1, 0]));
  it("shares a lane where nothing crosses", () => expect(lanes([0, 2], [2, 3], [5, 9])).toEqual([0, 0, 0]));
  it("tells equal spans apart", () => expect(lanes([0, 1], [0, 1])).toEqual([0, 1]));
  it("has nothing to do without spans", () => expect(lanes()).toEqual([]));
});

describe("places", () => {
  it("go to the address and come back", () => {
    const href = placeHref("errors", { gold: "A&B=c", s: ["x y", "ü"], q: null, level: "" });
    const place = parsePlace(href);
    expect(place.section).toBe("errors");
    expect(place.chosen.get("gold")).toBe("A&B=c");
    expect(place.chosen.getAll("s")).toEqual(["x y", "ü"]);
    expect([...place.chosen.keys()]).toEqual(["gold", "s", "s"]);
  });
  it("are the overview at first", () => expect(parsePlace("").section).toBe("overview"));
});

describe("tables for other programs", () => {
  const cells = { caption: "50 % & more", header: ["type", "F1"], rows: [["a|b", "9.1 ± 1"], ['say "x", y', "–"], ["=SUM(A1)", "−2"]] };
  it("are Markdown", () => expect(asMarkdown(cells)).toContain("| a\\|b | 9.1 ± 1 |"));
  it("are LaTeX", () => {
    expect(asLatex(cells)).toContain("\\caption{50 \\% \\& more}");
    expect(asLatex(cells)).toContain("a|b & 9.1 $\\pm$ 1 \\\\");
  });
  it("are CSV, and no formula", () => {
    expect(asCsv(cells)).toContain('"say ""x"", y",–');
    expect(asCsv(cells)).toContain(" =SUM(A1),-2");
  });
  it("have names that are names of files", () => expect(fileName("F1: </script> & ü", "svg")).toBe("f1-script-ü.svg"));
});

describe("judgements", () => {
  const judged = { [pairKey(toyPair)]: "good" };

  it("leave as JSON and come back", () => {
    expect(imported(exported([toyPair], judged), [toyPair])).toEqual({ judgements: judged, strangers: 0 });
  });

  it("of pairs that the page does not have are counted", () => {
    const other = { ...toyPair, sentence: 9, key: pairKey({ ...toyPair, sentence: 9 }) };
    expect(imported(exported([other], { [other.key]: "bad" }), [toyPair])).toEqual({ judgements: {}, strangers: 1 });
  });

  it.each(["", "[]", "null", '{"pairs": []}', '{"nerscope_judgements": 1, "pairs": [3]}', '{"nerscope_judgements": 1, "pairs": [null]}'])(
    "are not read from %j",
    (text) => expect(() => imported(text, [toyPair])).toThrow(/Choose one that this page exported/),
  );

  it("give the share judged good under each criterion", () => {
    expect(shares([toyPair, { ...toyPair, key: "other" }], judged)).toEqual([
      { system: "x", match: "left", pairs: 2, judged: 1, good: 1 },
      { system: "x", match: "overlap", pairs: 2, judged: 1, good: 1 },
    ]);
  });
});

describe("colours of changes", () => {
  it("are white where nothing changes", () => expect(diverging(0, 5)).toBe("rgb(255,255,255)"));
  it("do not fail where nothing at all changes", () => expect(diverging(0, 0)).toBe("rgb(255,255,255)"));
});
