// Errors.
import type { Context } from "../context";

export function Errors({ context }: { context: Context }) {
  return <p>{context.page.title}</p>;
}
