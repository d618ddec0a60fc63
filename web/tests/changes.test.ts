import { describe, expect, it } from "vitest";
import type { Change, Page } from "../src/data";
import { changesBetween, netByType, outcomesOf, sumOf } from "../src/sections/compare/changes";

const change = (kindA: string, kindB: string, type: string, n: number): Change => ({ dataset: "d", a: "x", b: "y", kindA, kindB, type, n });
const ROWS = [change("correct", "correct", "LOC", 8), change("correct", "missed", "LOC", 3), change("wrong type", "correct", "PER", 5), change("missed", "missed", "PER", 2)];
const page = { comparison: { changes: ROWS } } as unknown as Page;

describe("changes between two systems", () => {
  it("are turned round with the pair", () => {
    const turned = changesBetween(page, ["d"], "y", "x");
    expect(turned.map((row) => [row.kindA, row.kindB, row.n])).toEqual([["correct", "correct", 8], ["missed", "correct", 3], ["correct", "wrong type", 5], ["missed", "missed", 2]]);
  });

  it("of other datasets are left out", () => expect(changesBetween(page, ["e"], "x", "y")).toEqual([]));

  it("divide all gold mentions into four parts", () => {
    const parts = outcomesOf("x", "y").map(({ holds }) => sumOf(ROWS.filter(holds)));
    expect(parts).toEqual([8, 3, 5, 2]);
    expect(parts.reduce((sum, n) => sum + n, 0)).toBe(sumOf(ROWS));
  });

  it("have a net by type, the largest first", () => {
    expect(netByType(ROWS, "x", "y")).toEqual([
      { name: "PER", onlyA: 0, onlyB: 5, net: -5 },
      { name: "LOC", onlyA: 3, onlyB: 0, net: 3 },
    ]);
  });
});
