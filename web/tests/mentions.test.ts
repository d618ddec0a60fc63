import { describe, expect, it } from "vitest";
import { type Filter, Mentions, NONE, findSentences, withWords } from "../src/mentions";
import { OUTCOMES, toyDataset, toyPage } from "./toy";

const mentions = new Mentions(toyDataset, OUTCOMES);
const numbers = (filter: Filter) =>
  findSentences(toyPage(), [mentions], filter).map((found) => toyDataset.sentences.number[found.sentence]);

describe("what became of spans", () => {
  it("tells the outcome of gold and of predicted spans in each run", () => {
    const [x, y] = [mentions.run("x"), mentions.run("y")];
    expect([0, 1, 2, 3].map((span) => mentions.outcome(x, span))).toEqual(["wrong boundary", "wrong boundary", null, "correct"]);
    expect([0, 1, 2, 3].map((span) => mentions.outcome(y, span))).toEqual([null, "correct", "spurious", "missed"]);
  });

  it("knows which spans a run predicts itself", () => {
    expect([0, 1, 2, 3, 4, 5].map((span) => mentions.isPredicted(0, span))).toEqual([true, false, false, true, false, true]);
  });

  it("knows the types that meet", () => {
    expect(mentions.types(0, 4)).toEqual(["LOC", "ORG"]);
    expect(mentions.types(0, 5)).toEqual(["LOC", "ORG"]);
    expect(mentions.types(1, 3)).toEqual(["PER", NONE]);
    expect(mentions.types(1, 2)).toEqual([NONE, "PER"]);
    expect(mentions.types(1, 1)).toEqual(["PER", "PER"]);
  });

  it("keeps tokens that have blanks in them whole", () => {
    expect(mentions.tokens(0)).toEqual(["Ada", "Lee", "met", "Bob"]);
    expect(mentions.tokens(1)).toEqual(["In", "New Rome"]);
  });

  it("finds the spans of each sentence", () => {
    expect(mentions.of(0)).toEqual([0, 1, 2, 3]);
    expect(mentions.of(1)).toEqual([4, 5]);
  });

  it("takes another run of a system if it has none of that name", () => {
    expect(mentions.run("y", "7")).toBe(1);
    expect(mentions.run("z")).toBe(-1);
  });
});

describe("a filter", () => {
  const cases: [string, Filter, number[]][] = [
    ["of nothing keeps all", {}, [1, 5]],
    ["of a system's errors", { system: "y", outcome: "error" }, [1]],
    ["of an outcome", { outcome: "wrong type" }, [5]],
    ["of an outcome that a system does not have", { system: "y", outcome: "wrong type" }, []],
    ["of a pair of types", { gold: "LOC", predicted: "ORG" }, [5]],
    ["of what was missed", { gold: "PER", predicted: NONE }, [1]],
    ["of spurious mentions", { gold: NONE }, [1]],
    ["of a type on either side", { type: "ORG" }, [5]],
    ["of a level of mentions", { system: "y", facet: "tmr", level: "unseen", outcome: "error" }, [1]],
    ["of a level of tokens", { system: "x", facet: "hard", level: "unseen" }, [1]],
    ["of a level of tokens that another system has wrong", { system: "y", facet: "hard", level: "other" }, [5]],
    ["of a disagreement", { disagree: true, facet: "tmr", level: "unseen" }, [1, 5]],
    ["of a disagreement between a system and itself", { disagree: true, a: "x", b: "x" }, []],
    ["of a disagreement about tokens", { disagree: true, a: "x", b: "y", facet: "hard", level: "other" }, [5]],
    ["of what y alone gets right", { only: "b", a: "x", b: "y" }, [1, 5]],
    ["of what x alone gets right", { only: "a", a: "x", b: "y" }, [1]],
    ["of another dataset", { dataset: "other" }, []],
  ];
  it.each(cases)("%s", (_, filter, expected) => expect(numbers(filter)).toEqual(expected));

  it("of words keeps sentences that have them, whatever their case", () => {
    const all = findSentences(toyPage(), [mentions], {});
    const having = (words: string) => withWords(all, [mentions], words).map(({ sentence }) => toyDataset.sentences.number[sentence]);
    expect(having("NEW rome")).toEqual([5]);
    expect(having("Paris")).toEqual([]);
  });

  it("takes what most runs of a system get right, unless one is named", () => {
    const { sentences } = toyDataset;
    const runs: [string, string][] = [["x", "1"], ["x", "2"], ["x", "3"], ["y", "1"]];
    const [x, y] = sentences.outcomes;
    const several = new Mentions(
      { ...toyDataset, runs, sentences: { ...sentences, outcomes: [x, y, y, y], mates: [sentences.mates[0], [], [], []] } },
      OUTCOMES,
    );
    const found = (run: string | null) => findSentences(toyPage(), [several], { only: "b", a: "x", b: "y", run }).length;
    expect([found(null), found("1"), found("2")]).toEqual([0, 2, 0]);
  });

  it("points at the spans that fit", () => {
    const [found] = findSentences(toyPage(), [mentions], { outcome: "wrong type" });
    expect(found.hits).toEqual([4, 5]);
  });
});
