// The questions of this section, and the facets that answer each of them, the plainest first.
import { type Page, facetNamed } from "../../data";
import type { PageFacet, PageLevel } from "../../page-data";

export interface Question {
  name: string; // as the address has it
  title: string;
  answers: Answer[]; // the first is shown, the others are folded away
}

export interface Answer {
  facet: PageFacet;
  levels: PageLevel[];
}

interface Wanted {
  facet: string;
  levels?: string[]; // all, if not given
}

const QUESTIONS: { name: string; title: string; wanted: Wanted[] }[] = [
  {
    name: "seen",
    title: "Seen in training?",
    wanted: [{ facet: "tmr", levels: ["seen", "unseen-type", "unseen-tokens"] }, { facet: "word-overlap" }, { facet: "eCon" }, { facet: "eCon_mentions" }],
  },
  { name: "ambiguous", title: "Ambiguous?", wanted: [{ facet: "tmr", levels: ["tcm-all", "tcm-seen", "tcm-unseen"] }, { facet: "tCon" }] },
  {
    name: "words",
    title: "Hard words?",
    wanted: [
      { facet: "hard", levels: ["unseen", "diff", "other"] },
      { facet: "hard", levels: ["unseen-I", "unseen-O", "diff-I", "diff-O", "diff-E"] },
      { facet: "hard-strict", levels: ["unseen", "diff", "other", "diff-I", "diff-O", "diff-E"] },
    ],
  },
  { name: "length", title: "Long mentions?", wanted: [{ facet: "eLen" }, { facet: "sLen" }, { facet: "eChars" }] },
  { name: "crowding", title: "Crowded sentences?", wanted: [{ facet: "eDen" }, { facet: "eDen_entities" }] },
  { name: "rare", title: "Rare words?", wanted: [{ facet: "oDen" }, { facet: "eFre" }, { facet: "tFre" }] },
];

/** The questions that these data answer; facets that no question names are questions of their own. */
export function questionsOf(page: Page): Question[] {
  const used = new Set(QUESTIONS.flatMap(({ wanted }) => wanted.map(({ facet }) => facet)));
  const named = QUESTIONS.map(({ name, title, wanted }) => ({ name, title, answers: wanted.flatMap((one) => answerOf(page, one)) }));
  const others = page.facets
    .filter((facet) => !used.has(facet.name))
    .map((facet) => ({ name: facet.name, title: facet.title, answers: answerOf(page, { facet: facet.name }) }));
  return [...named, ...others].filter(({ answers }) => answers.length > 0);
}

function answerOf(page: Page, { facet: name, levels }: Wanted): Answer[] {
  const facet = facetNamed(page, name);
  if (!facet) return [];
  const known = facet.levels.filter((level) => (levels ? levels.includes(level.name) : !["all", "score"].includes(level.name)));
  return known.length ? [{ facet, levels: known }] : [];
}

/** The metric and the match that a facet is judged by. */
export function leadOf(facet: PageFacet): { match: string; metric: string } | null {
  const [match, metrics] = Object.entries(facet.metrics)[0] ?? [];
  if (match === undefined || !metrics.length) return null;
  const preferred = ["f1", "recall", "ter"].find((name) => metrics.includes(name));
  return { match, metric: preferred ?? metrics[0] };
}
