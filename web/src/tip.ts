// One bubble for the whole page: what is known of the number under the pointer, or in focus.

const DISTANCE = 14;

function told(target: EventTarget | null): { element: Element; text: string } | null {
  const element = (target as Element | null)?.closest?.("[data-tip], svg [aria-label]:not(svg):not(g)");
  const text = element?.getAttribute("data-tip") ?? element?.getAttribute("aria-label");
  return element && text ? { element, text } : null;
}

export function showTips(): void {
  const bubble = document.body.appendChild(document.createElement("div"));
  bubble.className = bubble.id = "bubble";
  bubble.setAttribute("role", "tooltip");
  bubble.hidden = true;

  const show = (text: string, x: number, y: number) => {
    bubble.textContent = text;
    bubble.hidden = false;
    const { width, height } = bubble.getBoundingClientRect();
    bubble.style.left = `${Math.max(4, Math.min(x + DISTANCE, innerWidth - width - 8))}px`;
    bubble.style.top = `${y + DISTANCE + height > innerHeight ? Math.max(4, y - DISTANCE - height) : y + DISTANCE}px`;
  };
  const hide = () => (bubble.hidden = true);

  const point = (event: PointerEvent) => {
    const found = told(event.target);
    if (found) show(found.text, event.clientX, event.clientY);
    else hide();
  };
  document.addEventListener("pointermove", point);
  document.addEventListener("pointerdown", point); // fingers do not hover
  document.addEventListener("focusin", (event) => {
    const found = told(event.target);
    hide();
    if (!found || !(event.target as Element).matches(":focus-visible")) return;
    if (!found.element.hasAttribute("aria-label")) (event.target as Element).setAttribute("aria-describedby", bubble.id);
    const box = found.element.getBoundingClientRect();
    show(found.text, box.left, box.bottom - DISTANCE + 4);
  });
  document.addEventListener("scroll", hide, { passive: true });
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
}
