// Bundles the command: dist/mqb.cjs, which answers `--version`, `--help` and `completion` alone, the latter two from a file of
// texts, and beside it everything else as one CommonJS file with its code cache. Loading some 300 small modules one by one
// takes Node several times as long as a copy of ten rows, and half of what is left goes into compiling; CommonJS also
// starts faster than ESM does. The packages themselves are published unbundled.
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

const COMMON_JS = {
  format: "cjs",
  define: { "import.meta.url": "importMetaUrl" },
  banner: { js: 'const importMetaUrl=require("node:url").pathToFileURL(__filename).href;' },
};

const name = await bundleCommand();
await bundleEntry(name);
keepCode(join(dist, name));
for (const old of readdirSync(dist)) {
  const isKept = old.startsWith(name.replace("cjs", ""));
  if (old === "mqb.js" || (/^mqb-.*\.(?:js|cjs|cache|json)$/.test(old) && !isKept)) rmSync(join(dist, old));
}

/** Everything but the entry. Its name holds a hash, so that no code cache of another bundle is ever taken for its own. */
async function bundleCommand() {
  const { outputFiles } = await build({
    ...SHARED,
    ...COMMON_JS,
    entryPoints: ["src/bundled.ts"],
    write: false,
    charset: "ascii",
    // Native and WebAssembly codecs and the reader of TypeScript load files of their own.
    external: ["lz4-napi", "@foxglove/wasm-zstd", "jiti"],
  });
  const source = outputFiles[0].text.replace(/(?<![.\w$])import\(/g, "importModule(");
  const name = `mqb-${createHash("sha256").update(source).digest("hex").slice(0, 12)}.cjs`;
  writeFileSync(join(dist, name), source);
  return name;
}

async function bundleEntry(name) {
  const script = (file) => JSON.stringify(fileURLToPath(new URL(file, import.meta.url)));
  const beside = JSON.stringify(name);
  const modules = {
    "./process.ts": `
      import { join } from "node:path";
      import { loadCommand } from ${script("load-command.mjs")};
      export const { runProcess } = loadCommand(join(__dirname, ${beside})).exports;`,
    "./kept-texts.ts": `
      import { join } from "node:path";
      import { keptText as read } from ${script("kept-texts.mjs")};
      export const keptText = (argv) => read(join(__dirname, ${beside}), argv);`,
  };
  await build({
    ...SHARED,
    ...COMMON_JS,
    entryPoints: { mqb: "src/bin.ts" },
    outdir: "dist",
    outExtension: { ".js": ".cjs" },
    plugins: [
      {
        name: "beside",
        setup({ onResolve, onLoad }) {
          const inBundle = ({ path }) => (path in modules ? { path, namespace: "beside" } : undefined);
          onResolve({ filter: /^\.\/[\w-]+\.ts$/ }, inBundle);
          onLoad({ filter: /.*/, namespace: "beside" }, ({ path }) => ({
            contents: modules[path],
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
