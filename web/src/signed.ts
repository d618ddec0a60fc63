// The signature of the page goes with every number on it.

let signature = "";

export function sign(value: string): void {
  signature = value;
}

/** A tip that says under which conditions its number holds. */
export function signedTip(tip: string): string {
  return !signature || tip.includes(signature) ? tip : `${tip}\n${signature}`;
}

/** The signature as saved figures show it. */
export const signatureLine = (): string => signature;
