// Bundles the command: dist/mqb.js, which answers `--version` alone, and beside it everything else as one CommonJS file with
// its code cache. Loading some 300 small modules one by one takes Node several times as long as a copy of ten rows, and
// half of what is left goes into compiling; the packages themselves are published unbundled.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = fileURLToPath(new URL("..", import.meta.url));
const dist = join(folder, "dist");

const SHARED = {
  absWorkingDir: folder,
  bundle: true,
  platform: "node",
  target: "node20.19",
  // From the sources of the workspace: needs no build of the packages.
  conditions: ["@mqb/source"],
  // Names stay, so that a stack trace in a bug report can be read.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  logLevel: "warning",
};

const name = await bundleCommand();
await bundleEntry(name);
keepCode(join(dist, name));
for (const old of readdirSync(dist)) {
  if (/^mqb-.*\.(?:js|cjs|cache)$/.test(old) && !old.startsWith(name.replace("cjs", ""))) rmSync(join(dist, old));
}

/** Everything but the entry. Its name holds a hash, so that no code cache of another bundle is ever taken for its own. */
async function bundleCommand() {
  const { outputFiles } = await build({
    ...SHARED,
    entryPoints: ["src/process.ts"],
    write: false,
    format: "cjs",
    charset: "ascii",
    // Native and WebAssembly codecs and the reader of TypeScript load files of their own.
    external: ["lz4-napi", "@foxglove/wasm-zstd", "jiti"],
    define: { "import.meta.url": "importMetaUrl" },
    banner: { js: 'const importMetaUrl=require("node:url").pathToFileURL(__filename).href;' },
  });
  const source = outputFiles[0].text.replace(/(?<![.\w$])import\(/g, "importModule(");
  const name = `mqb-${createHash("sha256").update(source).digest("hex").slice(0, 12)}.cjs`;
  writeFileSync(join(dist, name), source);
  return name;
}

async function bundleEntry(name) {
  const loader = fileURLToPath(new URL("load-command.mjs", import.meta.url));
  await build({
    ...SHARED,
    entryPoints: { mqb: "src/bin.ts" },
    outdir: "dist",
    format: "esm",
    plugins: [
      {
        name: "command",
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /\/process\.ts$/ }, () => ({ path: name, namespace: "command" }));
          onLoad({ filter: /.*/, namespace: "command" }, () => ({
            contents: `
              import { fileURLToPath } from "node:url";
              import { loadCommand } from ${JSON.stringify(loader)};
              export const { runProcess } = loadCommand(fileURLToPath(new URL(${JSON.stringify(`./${name}`)}, import.meta.url))).exports;`,
            resolveDir: folder,
          }));
        },
      },
    ],
  });
}

/** In a process of its own: what a copy compiles is what V8 keeps. */
function keepCode(bundle) {
  const scratch = mkdtempSync(join(tmpdir(), "mqb-bundle-"));
  try {
    const script = fileURLToPath(new URL("code-cache.mjs", import.meta.url));
    execFileSync(process.execPath, [script, bundle, scratch], { stdio: ["ignore", "ignore", "inherit"] });
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
