// Bundles the command into dist/mqb.js and a few chunks beside it. Loading some 300 small modules one by one takes Node
// several times as long as a copy of ten rows; the packages themselves are published unbundled.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = fileURLToPath(new URL("..", import.meta.url));
const dist = join(folder, "dist");

const { outputFiles, metafile } = await build({
  absWorkingDir: folder,
  entryPoints: { mqb: "src/bin.ts" },
  outdir: "dist",
  chunkNames: "mqb-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  // From the sources of the workspace: needs no build of the packages.
  conditions: ["@mqb/source"],
  // Native and WebAssembly codecs load files of their own.
  external: ["lz4-napi", "@foxglove/wasm-zstd"],
  // The YAML reader is CommonJS and asks for modules of Node in its own way.
  banner: { js: 'import { createRequire } from "node:module";const require = createRequire(import.meta.url);' },
  // Names stay, so that a stack trace in a bug report can be read.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});
if (outputFiles) throw new Error("the bundle was not written");

const written = new Set(Object.keys(metafile.outputs).map((path) => path.slice("dist/".length)));
for (const name of readdirSync(dist)) {
  if (/^mqb-[A-Z0-9]+\.js$/.test(name) && !written.has(name)) rmSync(join(dist, name));
}
