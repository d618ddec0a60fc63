import { describe, expect, it } from "vitest";
import { errorsLink, sizeOf } from "../src/listing/count";
import { filterOf, pairValue } from "../src/listing/filter";
import { keyOf, mentionNamed } from "../src/listing/keys";
import { listPlaces } from "../src/listing/list";
import { sorted } from "../src/listing/sorts";
import { totalErrors } from "../src/listing/totals";
import { isRight, placesOf, usualOutcome } from "../src/places";
import { parsePlace } from "../src/state";
import { type NaiveEvent, KINDS, OUTCOMES, naiveEvents, randomDataset, toyContext, toyPage } from "./toy";

const page = toyPage();
const set = placesOf(page).set(0);

/** The listed units of the toy, and its errors per run. */
function listed(query: string, given = page) {
  const context = toyContext(given, `#/errors?${query}`);
  const { entries, errors } = listPlaces(given, filterOf(context));
  return { units: entries.map(({ unit }) => unit), errors };
}

describe("what runs make of places", () => {
  it("counts a paired prediction at its gold mention alone", () => {
    expect([...set.mentions.outcomes[0]]).toEqual([255, 255, 2, 255, 0, 1, 255]);
    expect([...set.mentions.outcomes[2]]).toEqual([8, 255, 0, 5, 4, 0, 255]);
  });

  it("takes a system for right if most of its runs are", () => {
    const runs = set.runs("x");
    expect([2, 4, 5].map((unit) => isRight(set.mentions, unit, runs))).toEqual([false, true, false]);
    expect(usualOutcome(set.mentions, 5, runs)).toBe(1); // a wrong type and a missed mention: the first of the outcomes
  });

  it("finds a place again by its key", () => {
    for (let unit = 0; unit < set.mentions.size; unit++) {
      const found = mentionNamed(page, keyOf(set.mentions, unit));
      expect(found?.unit).toBe(unit);
    }
    expect(mentionNamed(page, "toy:99:0-1:PER")).toBeNull();
  });
});

describe("a filter of the toy", () => {
  const cases: [string, string, number[], number][] = [
    ["of nothing lists all errors", "", [0, 2, 3, 4, 5], 4.5],
    ["of a system", "system=x", [2, 5], 1.5],
    ["of a run", "system=x&run=2", [5], 1],
    ["of a kind", "kind=missed", [4, 5], 1.5],
    ["of two kinds", "kind=missed&kind=spurious", [3, 4, 5], 2.5],
    ["of a detailed kind", "outcome=hallucinated", [0], 1],
    ["of right mentions", "system=y&outcome=correct", [2, 5], 2],
    ["of a pair", `pair=${encodeURIComponent(pairValue(["LOC", "ORG"]))}`, [5], 0.5],
    ["of a missed pair", `pair=${encodeURIComponent(pairValue(["LOC", null]))}`, [5], 0.5],
    ["of a diagonal pair", `pair=${encodeURIComponent(pairValue(["PER", "PER"]))}`, [2], 0.5],
    ["of a type on either side", "type=ORG", [5], 0.5],
    ["of a gold type", "gold=LOC", [5], 1],
    ["of an unknown type", "gold=XYZ", [], 0],
    ["of predictions", "side=predicted", [0, 2, 3, 5], 3],
    ["of gold mentions", "side=gold", [2, 4, 5], 2.5],
    ["of a level", "level=tmr%3Dunseen-any", [0, 2, 3, 5], 3.5],
    ["of a level of predictions", "side=predicted&level=tmr%3Dseen", [2], 0.5],
    ["of a level of tokens", "level=hard%3Dunseen", [0], 1.5],
    ["of a level of tokens in a system", "level=hard%3Dother&system=y", [], 0],
    ["of a length", "length=1", [0, 3, 4, 5], 4],
    ["of a pattern", "pattern=only%3Ay", [0, 3, 4], 3],
    ["of what one alone has right", "pattern=right%3Ay", [2, 5], 1.5],
    ["of the number of systems", "wrong=2", [], 0],
    ["of a text", "surface=New+Rome", [5], 1],
    ["of a shape", "shape=first", [2], 0.5],
    ["of a change", "a=x&b=y&change=fixed", [2, 5], 4],
    ["of a change of kinds", `a=x&b=y&change=${encodeURIComponent('["correct","missed"]')}`, [4], 2],
    ["of words", "q=met+bob", [0, 2, 3, 4], 3.5],
    ["of an expression", "q=%2F%5EIn%2F", [5], 1],
    ["of a bad expression", "q=%2F(%2F", [0, 2, 3, 4, 5], 4.5],
  ];
  it.each(cases)("%s", (_, query, units, errors) => expect(listed(query)).toEqual({ units, errors }));

  it("lists by default what shown systems have wrong", () => expect(listed("s=x").units).toEqual([2, 5]));
  it("lists a system on demand that is not shown", () => expect(listed("s=x&system=y").units).toEqual([0, 3, 4]));
});

/** Query parameters, each chosen at random. */
function randomQuery(seed: number): URLSearchParams {
  const query = new URLSearchParams();
  let state = seed * 2_654_435_761;
  const below = (n: number) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return state % n;
  };
  const types = ["LOC", "PER", "ORG"];
  const choices: Record<string, () => string> = {
    system: () => `s${below(3)}`,
    run: () => String(1 + below(3)),
    kind: () => KINDS[below(KINDS.length)].name,
    outcome: () => OUTCOMES[below(OUTCOMES.length)],
    pair: () => pairValue([below(4) ? types[below(3)] : null, below(4) ? types[below(3)] : null]),
    type: () => types[below(3)],
    gold: () => types[below(3)],
    predicted: () => types[below(3)],
    side: () => ["gold", "predicted"][below(2)],
    level: () => `tmr=${["seen", "unseen-any", "unseen-type"][below(3)]}`,
    length: () => ["1", "2", "3", "4+"][below(4)],
    pattern: () => ["all", "only:s0", "right:s1"][below(3)],
    wrong: () => String(below(4)),
    surface: () => ["Rome", "UN", "New Zoe"][below(3)],
    q: () => ["rome in", "/^A/", "x"][below(3)],
  };
  for (const [name, value] of Object.entries(choices)) {
    if (below(6)) continue;
    query.append(name, value());
    if (name !== "q" && below(2)) query.append(name, value());
  }
  return query;
}

/** The filter, in the words of the contract. */
function naiveList(dataset: ReturnType<typeof randomDataset>, query: URLSearchParams) {
  const { spans, codes, text } = dataset.sentences;
  const has = (name: string, test: (value: string) => boolean) => !query.has(name) || query.getAll(name).some(test);
  const events = naiveEvents(dataset);
  const isError = (event: NaiveEvent) => event.outcome !== "correct";
  const systems = ["s0", "s1", "s2"];
  const wrongAt = (unit: number) => systems.filter((system) => 2 * events.filter((one) => one.unit === unit && one.system === system && isError(one)).length >= 3);
  const hasLevel = (unit: number) => has("level", (value) => ({ "tmr=seen": [0], "tmr=unseen-any": [1, 2], "tmr=unseen-type": [2] })[value]!.includes(codes.tmr[unit]));
  const ofPredictions = query.getAll("side").includes("predicted");
  const fits = (event: NaiveEvent): boolean => {
    const { unit, gold, predicted, outcome } = event;
    const words = dataset.sentences.spans.length[unit] ? (text![spans.sentence[unit]] as string).split(" ").slice(spans.start[unit], spans.start[unit] + spans.length[unit]) : ["New", "Zoe"];
    const wrong = wrongAt(unit);
    const patterns = [wrong.length === 3 ? "all" : "", wrong.length === 1 ? `only:${wrong[0]}` : "", wrong.length === 2 ? `right:${systems.find((one) => !wrong.includes(one))}` : ""];
    const sentence = text![spans.sentence[unit]] as string;
    return (
      (isError(event) || query.getAll("outcome").includes("correct")) &&
      has("system", (value) => value === event.system) &&
      has("run", (value) => value === event.runName) &&
      has("kind", (value) => KINDS.find(({ name }) => name === value)!.outcomes.includes(outcome)) &&
      has("outcome", (value) => value === outcome) &&
      has("pair", (value) => value === pairValue([gold, predicted])) &&
      has("type", (value) => value === gold || value === predicted) &&
      has("gold", (value) => value === gold) &&
      has("predicted", (value) => value === predicted) &&
      has("side", (value) => (value === "gold" ? gold : predicted) !== null) &&
      hasLevel(ofPredictions && spans.gold[unit] && event.mate >= 0 ? event.mate : unit) &&
      has("length", (value) => value === (words.length > 3 ? "4+" : String(words.length))) &&
      has("pattern", (value) => patterns.includes(value)) &&
      has("wrong", (value) => value === String(wrong.length)) &&
      has("surface", (value) => value === words.join(" ")) &&
      has("q", (value) => (value === "/^A/" ? /^A/.test(sentence) : sentence.toLowerCase().includes(value)))
    );
  };
  const found = events.filter(fits);
  const runs = query.has("run") ? new Set(query.getAll("run")).size : 3;
  return { units: [...new Set(found.map(({ unit }) => unit))].sort((one, other) => one - other), errors: found.length / runs };
}

describe("filters of random data", () => {
  const cases = Array.from({ length: 300 }, (_, seed) => seed);
  it("find what the definition finds", () => {
    let several = 0;
    for (const seed of cases) {
      const dataset = randomDataset(seed);
      const query = randomQuery(seed);
      const found = listed(query.toString(), toyPage({ datasets: [dataset] }));
      const expected = naiveList(dataset, query);
      expect({ seed, query: query.toString(), ...found, errors: found.errors.toFixed(6) }).toEqual({ seed, query: query.toString(), ...expected, errors: expected.errors.toFixed(6) });
      several += expected.units.length > 1 ? 1 : 0;
    }
    expect(several).toBeGreaterThan(50);
  });

  it("count for every value of a facet what choosing it lists", () => {
    for (const seed of cases.slice(0, 60)) {
      const given = toyPage({ datasets: [randomDataset(seed), randomDataset(seed + 1000)] });
      const query = randomQuery(seed);
      query.delete("outcome");
      const context = toyContext(given, `#/errors?${query}`);
      const { counts } = listPlaces(given, filterOf(context));
      for (const [facet, values] of counts)
        for (const [value, n] of values) {
          if (facet === "level" && query.getAll("side").includes("predicted")) continue; // predictions have levels of their own
          const chosen = new URLSearchParams(query);
          chosen.delete(facet);
          chosen.append(facet, value);
          expect({ seed, facet, value, n }).toEqual({ seed, facet, value, n: listed(chosen.toString(), given).units.length });
        }
    }
  });

  it("agree with the sums of all data", () => {
    for (const seed of cases.slice(0, 100)) {
      const given = toyPage({ datasets: [randomDataset(seed)] });
      const query = randomQuery(seed);
      for (const name of ["level", "length", "pattern", "wrong", "surface", "q"]) query.delete(name);
      const filter = filterOf(toyContext(given, `#/errors?${query}`));
      expect(totalErrors(given, filter)).toBeCloseTo(listPlaces(given, filter).errors, 8);
    }
  });
});

describe("links", () => {
  const context = toyContext(page);
  it("count errors per run if they name a system", () => expect(errorsLink(context, { system: "x" })).toEqual({ href: "#/errors?system=x", count: "1.5" }));
  it("count places if they do not", () => expect(errorsLink(context, { kind: "missed" }).count).toBe("2"));
  it("count all data where the page has a sample", () => {
    const sampled = { ...set.dataset, sentences: { ...set.dataset.sentences, sampled: true } };
    const errors = page.errors.map((row) => ({ ...row, n: 10 * row.n }));
    const given = toyPage({ datasets: [sampled], errors });
    expect(sizeOf(toyContext(given), new URLSearchParams("system=x"))).toEqual({ shown: 2, errors: "15" });
  });
  it("read a link of another place", () => expect(parsePlace("#/errors?system=x").chosen.get("system")).toBe("x"));
});

describe("orders", () => {
  const { entries } = listPlaces(page, filterOf(toyContext(page)));
  const units = (name: string | null, seed = 1) => sorted(entries, name, seed).map(({ unit }) => unit);
  it("keep that of the file", () => expect(units(null)).toEqual([0, 2, 3, 4, 5]));
  it("put long mentions first", () => expect(units("length")).toEqual([2, 0, 3, 4, 5]));
  it("are random but repeatable", () => {
    expect(units("random")).toEqual(units("random"));
    expect(units("random").sort()).toEqual([0, 2, 3, 4, 5]);
    expect([1, 2, 3, 4].map((seed) => units("random", seed).join()).filter((one, k, all) => all.indexOf(one) === k).length).toBeGreaterThan(1);
  });
});

describe("the speed of a filter", () => {
  it("stays below 100 ms for 5,000 sentences and 35 runs", () => {
    const given = toyPage({ datasets: [randomDataset(5, 5000, 7, 5)], errors: [] });
    const context = toyContext(given, "#/errors?level=tmr%3Dseen&q=rome");
    listPlaces(given, filterOf(context)); // makes what is made once
    for (const query of ["", "kind=missed&length=1", "q=rome", "level=tmr%3Dseen&q=%2FRo.e%2F", "system=s1&type=LOC&pattern=only%3As1"]) {
      const start = performance.now();
      listPlaces(given, filterOf(toyContext(given, `#/errors?${query}`)));
      expect(performance.now() - start).toBeLessThan(100);
    }
  });
});
