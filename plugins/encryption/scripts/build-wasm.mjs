// Compiles assembly/ into src/generated/aead.gen.ts. With --check: compiles, compares byte for byte, writes nothing.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const target = join(root, "src/generated/aead.gen.ts");
const FLAGS = [
  "--importMemory",
  "--runtime",
  "stub",
  "--noAssert",
  "--use",
  "abort=",
  "--enable",
  "simd,bulk-memory",
  "-O3",
];

const wasm = await compile();
const text = [
  "// Made from assembly/ by scripts/build-wasm.mjs (pnpm build:wasm). Do not edit.",
  `// assemblyscript ${asc.version}, ${wasm.length} bytes.`,
  `export const AEAD: string =\n  ${JSON.stringify(Buffer.from(wasm).toString("base64"))};`,
  "",
].join("\n");

if (!process.argv.includes("--check")) {
  writeFileSync(target, text);
  console.log(`${target}: ${wasm.length} bytes of WebAssembly`);
} else if (readFileSync(target, "utf8") !== text) {
  console.error(`${target} is not what assembly/ compiles to; run pnpm --filter @mqb/encryption build:wasm`);
  process.exitCode = 1;
}

async function compile() {
  let binary;
  const { error, stderr } = await asc.main(["assembly/index.ts", "--outFile", "aead.wasm", ...FLAGS], {
    readFile: (name, base) => {
      try {
        return readFileSync(join(base === "." ? root : base, name), "utf8");
      } catch {
        return null;
      }
    },
    writeFile: (_name, contents) => {
      binary = contents;
    },
    listFiles: () => [],
  });
  if (error !== null) {
    console.error(stderr.toString());
    throw error;
  }
  return binary;
}
