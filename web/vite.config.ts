// Builds a page into one HTML file: script and style inside, nothing fetched, nothing else allowed.
// `vite build` makes the report, `vite build --mode decide` the page on which people decide.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

const ASSETS = "../src/nerscope/render/assets";

interface PageSource {
  file: string;
  input: string;
  title: string;
}

const REPORT: PageSource = { file: "report.html", input: "src/main.tsx", title: "nerscope report" };
const DECIDE: PageSource = { file: "decide.html", input: "src/decide/main.tsx", title: "nerscope decisions" };

/** Puts script and style into the page, and says in its policy that this script alone may run. */
function inlined({ file, title }: PageSource): Plugin {
  return {
    name: "inlined",
    enforce: "post",
    generateBundle(_, bundle) {
      const files = Object.values(bundle);
      const chunk = files.find((one) => one.type === "chunk")!;
      const script = chunk.code.trim();
      const packages = packagesOf(Object.keys(chunk.modules));
      const style = files.find((one) => one.fileName.endsWith(".css"));
      if (script.includes("</script")) this.error("the script would end its own element");
      const hash = createHash("sha256").update(script).digest("base64");
      const policy =
        `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; ` +
        "img-src blob: data:; base-uri 'none'; form-action 'none'";
      const css = style?.type === "asset" ? String(style.source).trim() : "";
      for (const one of files) delete bundle[one.fileName];
      const source = PAGE.replace("TITLE", title)
        .replace("POLICY", () => policy)
        .replace("STYLE", () => css)
        .replace("SCRIPT", () => script)
        .replace("PACKAGES", () => packages.map(({ title }) => title).join(", "));
      this.emitFile({ type: "asset", fileName: file, source });
      this.emitFile({ type: "asset", fileName: "LICENSES.txt", source: licencesOf(packages) });
    },
  };
}

interface Package {
  title: string;
  licence: string;
}

/** The packages whose code is in the page, with the terms under which it may be there. */
function packagesOf(modules: string[]): Package[] {
  const folders = modules.flatMap((name) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(name)?.[1] ?? []);
  return [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf-8"));
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    const licence = file && existsSync(`${folder}/${file}`) ? readFileSync(`${folder}/${file}`, "utf-8").trim() : "";
    return { title: `${name} ${version} (${license})`, licence };
  });
}

/** Each text once, below the packages that it holds for. */
function licencesOf(packages: Package[]): string {
  const texts = [...new Set(packages.map(({ licence }) => licence))];
  const parts = texts.map((text) => {
    const names = packages.filter(({ licence }) => licence === text).map(({ title }) => title);
    return `${names.join("\n")}\n\n${text}\n`;
  });
  return `The pages contain code of these packages.\n\n${parts.join(`\n${"-".repeat(72)}\n\n`)}`;
}

const PAGE = `<!doctype html>
<!-- Contains: PACKAGES. Their terms: LICENSES.txt, beside this template in nerscope. -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="POLICY">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>TITLE</title>
<style>STYLE</style>
</head>
<body>
<div id="page"></div>
<noscript>This page is drawn by a script inside the page; switch JavaScript on to read it.</noscript>
<script type="application/json" id="data">NERSCOPE_DATA</script>
<script type="module">SCRIPT</script>
</body>
</html>
`;

export default defineConfig(({ mode }) => ({
  plugins: [inlined(mode === "decide" ? DECIDE : REPORT)],
  esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
  build: {
    outDir: ASSETS,
    emptyOutDir: false,
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: false,
    rollupOptions: { input: (mode === "decide" ? DECIDE : REPORT).input },
  },
}));
