// A drawer with the meaning of every word and code on the page.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Page } from "../data";

export function GlossaryButton({ page }: { page: Page }) {
  const drawer = useRef<HTMLDialogElement>(null);
  const [wanted, setWanted] = useState("");
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const openAt = (event: Event) => {
      setWanted((event as CustomEvent<string>).detail);
      setOpen(true);
    };
    addEventListener("glossary", openAt);
    return () => removeEventListener("glossary", openAt);
  }, []);
  useEffect(() => {
    if (open && !drawer.current!.open) drawer.current!.showModal();
  }, [open]);
  const terms = Object.entries(page.glossary).filter(([term, text]) => `${term} ${text}`.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>Glossary</button>
      <dialog ref={drawer} class="drawer" aria-label="Glossary" onClose={() => setOpen(false)}>
        <form method="dialog"><button>Close</button></form>
        <h3>Glossary</h3>
        <input type="search" aria-label="Search the glossary" value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} />
        <dl>{open && terms.map(([term, text]) => [<dt key={term}>{term}</dt>, <dd>{text}</dd>])}</dl>
        {!terms.length && <p class="note">No term fits.</p>}
      </dialog>
    </>
  );
}

/** Opens the glossary at a term. */
export function explain(term: string): void {
  dispatchEvent(new CustomEvent("glossary", { detail: term }));
}
