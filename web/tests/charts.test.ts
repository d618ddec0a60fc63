import { describe, expect, it } from "vitest";
import { fitted, percentScale, placeOn, scaleOf, textWidth } from "../src/charts/scale";
import { inkOn } from "../src/charts/stack";

describe("axes", () => {
  it.each([
    [[3, 97], [0, 20, 40, 60, 80, 100]],
    [[91.2, 93.4], [91, 91.5, 92, 92.5, 93, 93.5]],
    [[-2.2, 5.1], [-4, -2, 0, 2, 4, 6]],
    [[0.5, 0.5], [-0.5, 0, 0.5, 1, 1.5]],
  ])("over %s has ticks %s", (values, ticks) => expect(scaleOf(values).ticks).toEqual(ticks));

  it("hold all values, with at most six ticks, for many ranges", () => {
    for (let k = 1; k < 400; k++) {
      const values = [Math.sin(k) * k * k, Math.cos(k) * k];
      const { low, high, ticks } = scaleOf(values);
      expect(low).toBeLessThanOrEqual(Math.min(...values));
      expect(high).toBeGreaterThanOrEqual(Math.max(...values));
      expect(ticks.length).toBeLessThanOrEqual(6);
      expect(ticks.length).toBeGreaterThanOrEqual(2);
    }
  });

  it("of percentages never leave 0 to 100", () => {
    const { low, high } = percentScale([0.4, 99.9]);
    expect([low, high]).toEqual([0, 100]);
  });

  it("without a value are drawn anyway", () => expect(scaleOf([]).ticks.length).toBeGreaterThan(1));

  it("place their ends at the ends", () => {
    const x = placeOn({ low: 20, high: 60, ticks: [] }, 200);
    expect([x(20), x(40), x(60)]).toEqual([0, 100, 200]);
  });
});

describe("texts in charts", () => {
  it("are cut to fit, with an ellipsis", () => {
    const text = fitted("words labelled differently in training", 100);
    expect(textWidth(text)).toBeLessThanOrEqual(100);
    expect(text.endsWith("…")).toBe(true);
  });

  it("stay whole where there is room", () => expect(fitted("LOC", 100)).toBe("LOC"));

  it.each([
    ["#0072b2", "#fff"],
    ["#e69f00", "#111"],
    ["#5a5a5a", "#fff"],
    ["#bdbdbd", "#111"],
  ])("on %s are %s", (colour, ink) => expect(inkOn(colour)).toBe(ink));
});
