// Tables as text for other programs: Markdown, LaTeX, CSV.

export interface Cells {
  caption: string;
  header: string[];
  rows: string[][];
}

export function asMarkdown({ header, rows }: Cells): string {
  const line = (cells: string[]) => `| ${cells.map(inMarkdown).join(" | ")} |`;
  return [line(header), `|${header.map((_, k) => (k ? "---:" : "---")).join("|")}|`, ...rows.map(line), ""].join("\n");
}

const inMarkdown = (text: string) => oneLine(text).replace(/([\\|`*_<>[\]])/g, "\\$1");

export function asCsv({ header, rows }: Cells): string {
  return [header, ...rows].map((cells) => `${cells.map(inCsv).join(",")}\r\n`).join("");
}

/** A field; a blank stands before what a spreadsheet would take for a formula. */
function inCsv(given: string): string {
  const text = given.replaceAll("−", "-");
  const safe = /^[=@\t\r]/.test(text) || (/^[+-]/.test(text) && !/^[+-][\d.,]+$/.test(text)) ? ` ${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function asLatex({ caption, header, rows }: Cells): string {
  const line = (cells: string[]) => `${cells.map(inLatex).join(" & ")} \\\\`;
  return [
    "\\begin{table}",
    "\\centering",
    `\\caption{${inLatex(caption)}}`,
    `\\begin{tabular}{l${"r".repeat(Math.max(header.length - 1, 0))}}`,
    "\\toprule",
    line(header),
    "\\midrule",
    ...rows.map(line),
    "\\bottomrule",
    "\\end{tabular}",
    "\\end{table}",
    "",
  ].join("\n");
}

const LATEX: Record<string, string> = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "–": "--",
  "−": "$-$",
  "±": "$\\pm$",
  "★": "$\\star$",
  "<": "$<$",
  ">": "$>$",
  "≤": "$\\leq$",
  ζ: "$\\zeta$",
  ρ: "$\\rho$",
};

function inLatex(text: string): string {
  return oneLine(text).replace(/[\\~^–−±★<>≤ζρ]|[&%$#_{}]/g, (one) => LATEX[one] ?? `\\${one}`);
}

const oneLine = (text: string) => text.replace(/\s+/g, " ");
