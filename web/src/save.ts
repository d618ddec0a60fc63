// What leaves the page: text to the clipboard, files, charts as SVG and PNG.
import { signatureLine } from "./signed";

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

const MARGIN = 12;
const LINE = 16;

/** A figure as one drawing, black on white: its title and n above, the signature below. */
export function standalone(figure: Element, title: string, n = ""): { text: string; width: number; height: number } {
  const box = figure.getBoundingClientRect();
  const right = [...figure.querySelectorAll("svg")].map((part) => part.getBoundingClientRect().right - box.x);
  const foot = wrapped(signatureLine(), Math.max(...right, 300) / 5.2);
  const [width, height] = [Math.ceil(Math.max(...right, 300)) + 2 * MARGIN, Math.ceil(box.height) + 3 * MARGIN + 2 * LINE + 12 * foot.length];
  const whole = element("svg", { xmlns: SHEET, viewBox: `0 0 ${width} ${height}`, width, height, style: "color:#000;background:#fff;font-family:system-ui,sans-serif" });
  whole.append(element("rect", { width: "100%", height: "100%", fill: "#fff" }), styles());
  whole.append(words(`${title}${n ? ` (${n})` : ""}`, MARGIN + LINE - 4, 14));
  const body = element("g", { transform: `translate(${MARGIN},${MARGIN + LINE + 8})` });
  for (const part of figure.querySelectorAll<SVGSVGElement>("svg")) body.append(placed(part, box));
  whole.append(body);
  foot.forEach((line, k) => whole.append(words(line, height - MARGIN - 12 * (foot.length - 1 - k), 9)));
  return { text: new XMLSerializer().serializeToString(whole), width, height };
}

function element(name: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(SHEET, name) as SVGElement;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

function words(text: string, y: number, size: number): SVGElement {
  const made = element("text", { x: MARGIN, y, "font-size": size });
  made.textContent = text;
  return made;
}

/** The classes of charts, which a file of its own does not have. */
function styles(): SVGElement {
  const made = element("style", {});
  made.textContent =
    ".grid{stroke:#ddd}.zero,.reference{stroke:#555}.reference{stroke-dasharray:3 3}.soft,.code{fill:#555}" +
    ".heat-high{fill:#0072b2}.heat-low{fill:#d55e00}" +
    ".verdict rect{fill:#f4f4f2}.verdict.good rect{fill:#dcebf5}.verdict.bad rect{fill:#fbe6d8}.tie{stroke:#555;fill:#555}";
  return made;
}

function wrapped(text: string, most: number): string[] {
  const lines = [""];
  for (const part of text.split("|")) {
    if (lines.at(-1)!.length + part.length > most) lines.push("");
    lines[lines.length - 1] += `${lines.at(-1) ? "|" : ""}${part}`;
  }
  return lines;
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

export function saveSvg(figure: Element, title: string, n?: string): void {
  download(fileName(title, "svg"), standalone(figure, title, n).text, "image/svg+xml");
}

/** The chart as a picture, three times as fine as on the screen. */
export function savePng(figure: Element, title: string, n?: string): void {
  const { text, width, height } = standalone(figure, title, n);
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
