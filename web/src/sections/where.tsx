// Where.
import type { Context } from "../context";

export function Where({ context }: { context: Context }) {
  return <p>{context.page.title}</p>;
}
