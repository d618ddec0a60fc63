// DataMethod.
import type { Context } from "../context";

export function DataMethod({ context }: { context: Context }) {
  return <p>{context.page.title}</p>;
}
