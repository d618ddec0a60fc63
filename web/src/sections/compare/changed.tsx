import type { Context } from "../../context";
export function ChangedMentions({ context, a, b }: { context: Context; a: string; b: string }) {
  return <p>{context.page.title}{a}{b}</p>;
}
