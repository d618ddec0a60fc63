// The pairs to judge, in an order that is random and repeatable: the first ones are a sample.
import type { Pair } from "../data";
import { type Judgements, shares } from "../review";
import { wilson } from "../sampling";
import { scattered } from "./sorts";

export const SIZES = [30, 60, 100, 200, 400];

/** The pairs of some datasets with credit for one of some systems. */
export function sampleOrder(pairs: Pair[], datasets: string[], systems: string[], seed: number): Pair[] {
  const keys = new Map(pairs.map((pair, k) => [pair, scattered(seed, k)]));
  return pairs
    .filter((pair) => datasets.includes(pair.dataset) && systems.some((system) => Object.hasOwn(pair.systems, system)))
    .sort((one, other) => keys.get(one)! - keys.get(other)!);
}

/** The share judged good under a criterion, with its interval. */
export interface GoodShare {
  system: string;
  match: string;
  pairs: number; // that the criterion credits, sampled or not
  judged: number;
  good: number;
  interval: [number, number] | null;
}

/** Shares of the sample: judgements outside it would bias them. */
export function goodShares(order: Pair[], size: number, judgements: Judgements, systems: string[]): GoodShare[] {
  const all = new Map(shares(order, {}).map((one) => [JSON.stringify([one.system, one.match]), one.pairs]));
  return shares(order.slice(0, size), judgements)
    .filter(({ system }) => systems.includes(system))
    .map((one) => {
      const pairs = all.get(JSON.stringify([one.system, one.match]))!;
      return { ...one, pairs, interval: one.judged ? wilson(one.good / one.judged, one.judged, pairs) : null };
    });
}
