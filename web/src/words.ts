// The words of sentences, with blanks where the text has them.
import type { PageSentences } from "./page-data";

const WITHOUT_BLANKS = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}|\p{Script=Lao}|\p{Script=Khmer}|[\u3000-\u303f\uff00-\uffef]/u;
const RIGHT_TO_LEFT = /^[^\p{L}]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;

export class Words {
  private readonly split = new Map<number, string[]>();
  private readonly glue = new Map<number, Set<number>>();
  private read: string[] | null = null; // whole sentences
  private lowered: string[] | null = null;

  constructor(private readonly sentences: Pick<PageSentences, "text" | "glued" | "number">) {}

  get known(): boolean {
    return this.sentences.text !== null;
  }

  /** The tokens of a sentence; without texts, null. */
  tokens(sentence: number): string[] | null {
    const text = this.sentences.text?.[sentence];
    if (text === undefined) return null;
    if (typeof text !== "string") return text;
    let tokens = this.split.get(sentence);
    if (!tokens) this.split.set(sentence, (tokens = text.split(" ")));
    return tokens;
  }

  /** What stands between a token and the one before it: a blank, or nothing. At both ends of the sentence, nothing. */
  gap(sentence: number, token: number): string {
    const tokens = this.tokens(sentence);
    if (!tokens) return " ";
    if (token <= 0 || token >= tokens.length || this.gluedIn(sentence)?.has(token)) return "";
    if (this.sentences.glued) return " ";
    const [before, after] = [[...tokens[token - 1]].at(-1) ?? "", [...tokens[token]][0] ?? ""];
    return WITHOUT_BLANKS.test(before) && WITHOUT_BLANKS.test(after) ? "" : " ";
  }

  private gluedIn(sentence: number): Set<number> | null {
    const glued = this.sentences.glued?.[sentence];
    if (!glued) return null;
    let known = this.glue.get(sentence);
    if (!known) this.glue.set(sentence, (known = new Set(glued)));
    return known;
  }

  /** A stretch of a sentence as it is read; without texts, the numbers of its tokens. */
  text(sentence: number, from = 0, to = Infinity): string {
    const tokens = this.tokens(sentence);
    if (!tokens) return to - from === 1 ? `token ${from + 1}` : Number.isFinite(to) ? `tokens ${from + 1}–${to}` : "";
    const end = Math.min(to, tokens.length);
    let text = "";
    for (let k = Math.max(from, 0); k < end; k++) text += (k > from ? this.gap(sentence, k) : "") + tokens[k];
    return text;
  }

  isRightToLeft(sentence: number): boolean {
    const text = this.sentences.text?.[sentence];
    return text !== undefined && RIGHT_TO_LEFT.test(typeof text === "string" ? text : text.join(" "));
  }

  /** Which sentences a search finds: 1 if it does. */
  matching(search: Search): Uint8Array {
    const size = this.sentences.number.length;
    if (!this.sentences.text) return new Uint8Array(size);
    const { phrase, pattern } = search;
    this.read ??= this.sentences.number.map((_, k) => this.text(k));
    if (pattern) return Uint8Array.from(this.read, (text) => Number(pattern.test(text)));
    return Uint8Array.from(this.lower, (text) => Number(text.includes(phrase)));
  }

  /** Texts as they are searched: as they are read, and token by token. */
  private get lower(): string[] {
    this.lowered ??= this.sentences.number.map((_, k) => {
      const [read, tokens] = [this.text(k), this.tokens(k)!.join(" ")];
      return (read === tokens ? read : `${read}\n${tokens}`).toLocaleLowerCase();
    });
    return this.lowered;
  }
}

/** Words to be found, or a regular expression between slashes. */
export interface Search {
  phrase: string;
  pattern: RegExp | null;
  fault: string | null; // what is wrong with the expression
}

export function searchOf(text: string): Search {
  const expression = /^\/(.+)\/([ims]*)$/s.exec(text);
  if (!expression) return { phrase: text.toLocaleLowerCase(), pattern: null, fault: null };
  try {
    return { phrase: "", pattern: new RegExp(expression[1], `${expression[2]}u`), fault: null };
  } catch (error) {
    const reason = (error as Error).message.replace(/^Invalid regular expression: /, "");
    return { phrase: "", pattern: null, fault: `Invalid regular expression: ${reason}` };
  }
}
