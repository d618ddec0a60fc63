// Builds the page into one HTML file: script and style inside, nothing fetched, nothing else allowed.
import { createHash } from "node:crypto";
import { defineConfig, type Plugin } from "vite";

const ASSETS = "../src/nerscope/render/assets";

/** Puts script and style into the page, and says in its policy that this script alone may run. */
function inlined(): Plugin {
  return {
    name: "inlined",
    enforce: "post",
    generateBundle(_, bundle) {
      const files = Object.values(bundle);
      const script = files.find((file) => file.type === "chunk")!.code.trim();
      const style = files.find((file) => file.fileName.endsWith(".css"));
      if (script.includes("</script")) this.error("the script would end its own element");
      const hash = createHash("sha256").update(script).digest("base64");
      const policy =
        `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; ` +
        "img-src blob: data:; base-uri 'none'; form-action 'none'";
      const css = style?.type === "asset" ? String(style.source).trim() : "";
      for (const file of files) delete bundle[file.fileName];
      const source = PAGE.replace("POLICY", () => policy)
        .replace("STYLE", () => css)
        .replace("SCRIPT", () => script);
      this.emitFile({ type: "asset", fileName: "report.html", source });
    },
  };
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="POLICY">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>nerscope report</title>
<style>STYLE</style>
</head>
<body>
<div id="page"></div>
<noscript>This report is drawn by a script inside the page; switch JavaScript on to read it.</noscript>
<script type="application/json" id="data">NERSCOPE_DATA</script>
<script type="module">SCRIPT</script>
</body>
</html>
`;

export default defineConfig({
  plugins: [inlined()],
  esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
  build: {
    outDir: ASSETS,
    emptyOutDir: false,
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: false,
    rollupOptions: { input: "src/main.tsx" },
  },
});
