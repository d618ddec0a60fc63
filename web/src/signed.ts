// The signature of the page, which goes with every number on it.
import { createContext } from "preact";
import { useContext } from "preact/hooks";

const Signature = createContext("");

export const Signed = Signature.Provider;

/** Makes a tip say under which conditions its number holds. */
export function useSigned(): (tip: string) => string {
  const signature = useContext(Signature);
  return (tip) => (tip.includes(signature) ? tip : `${tip}\n${signature}`);
}
