// Sets of errors that are one click away. A further set is one more entry here.
import type { Choices } from "../state";

export interface QuickSet {
  title: string;
  about: string;
  choices: Choices; // of the address
  /** The facet and the value that count it. */
  facet: string;
  value: string;
}

export interface QuickScope {
  systems: string[]; // shown, best first
}

type Maker = (scope: QuickScope) => QuickSet[];

const pattern = (title: string, about: string, value: string): QuickSet => ({ title, about, choices: { pattern: value }, facet: "pattern", value });

const MAKERS: Maker[] = [
  ({ systems }) => (systems.length > 1 ? [pattern("all systems wrong", "Every shown system is wrong here.", "all")] : []),
  ({ systems: [best, ...others] }) => (others.length ? [pattern("only the best wrong", `Only ${best} is wrong here.`, `only:${best}`)] : []),
  ({ systems: [best, ...others] }) => (others.length ? [pattern("best right, others wrong", `Only ${best} is right here.`, `right:${best}`)] : []),
];

export const quickSets = (scope: QuickScope): QuickSet[] => MAKERS.flatMap((make) => make(scope));
