// What leaves the page: text to the clipboard, files, charts as SVG and PNG.

export async function copy(text: string): Promise<void> {
  try {
    return await navigator.clipboard.writeText(text);
  } catch {
    copyFromField(text); // where a page may not reach the clipboard itself
  }
}

function copyFromField(text: string): void {
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

export function download(name: string, content: Blob | string, kind = "text/plain"): void {
  const blob = typeof content === "string" ? new Blob([content], { type: kind }) : content;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A name for a file, made of what is shown. */
export function fileName(title: string, suffix: string): string {
  const plain = title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
  return `${plain || "nerscope"}.${suffix}`;
}

const SHEET = "http://www.w3.org/2000/svg";

/** A drawing of its own: all parts of a chart below each other, black on white. */
export function standalone(figure: Element): { text: string; width: number; height: number } {
  const box = figure.getBoundingClientRect();
  const whole = document.createElementNS(SHEET, "svg");
  const right = [...figure.querySelectorAll("svg")].map((part) => part.getBoundingClientRect().right - box.x);
  const [width, height] = [Math.ceil(Math.max(...right)), Math.ceil(box.height)];
  whole.setAttribute("xmlns", SHEET);
  whole.setAttribute("viewBox", `0 0 ${width} ${height}`);
  whole.setAttribute("width", String(width));
  whole.setAttribute("height", String(height));
  whole.setAttribute("style", "color:#000;background:#fff;font-family:system-ui,sans-serif");
  const paper = whole.appendChild(document.createElementNS(SHEET, "rect"));
  paper.setAttribute("width", "100%");
  paper.setAttribute("height", "100%");
  paper.setAttribute("fill", "#fff");
  for (const part of figure.querySelectorAll<SVGSVGElement>("svg")) whole.append(placed(part, box));
  for (const label of figure.querySelectorAll("[data-caption]")) whole.append(written(label, box));
  return { text: new XMLSerializer().serializeToString(whole), width, height };
}

function placed(part: SVGSVGElement, box: DOMRect): Element {
  const own = part.getBoundingClientRect();
  const copied = part.cloneNode(true) as SVGSVGElement;
  copied.setAttribute("x", String(own.x - box.x));
  copied.setAttribute("y", String(own.y - box.y));
  copied.setAttribute("width", String(own.width));
  copied.setAttribute("height", String(own.height));
  for (const link of copied.querySelectorAll("a")) link.replaceWith(...link.childNodes);
  return copied;
}

/** Words that stand beside a chart, as words in it. */
function written(label: Element, box: DOMRect): Element {
  const own = label.getBoundingClientRect();
  const text = document.createElementNS(SHEET, "text");
  text.setAttribute("x", String(own.x - box.x));
  text.setAttribute("y", String(own.y - box.y + 0.8 * own.height));
  text.setAttribute("font-size", getComputedStyle(label).fontSize);
  text.textContent = label.textContent;
  return text;
}

export function saveSvg(figure: Element, title: string): void {
  download(fileName(title, "svg"), standalone(figure).text, "image/svg+xml");
}

/** The chart as a picture, three times as fine as on the screen. */
export function savePng(figure: Element, title: string): void {
  const { text, width, height } = standalone(figure);
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  const image = new Image();
  image.onload = () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [3 * width, 3 * height];
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => blob && download(fileName(title, "png"), blob));
    URL.revokeObjectURL(url);
  };
  image.src = url;
}
