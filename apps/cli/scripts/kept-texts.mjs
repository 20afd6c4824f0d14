// The texts that are kept beside the bundle. Part of the bundle of src/bin.ts.
import { readFileSync, writeFileSync } from "node:fs";

/** As `keptText` of src/kept-texts.ts, out of the file. */
export function keptText(bundle, argv) {
  const asks = argv.length > 0 && (/^(?:--help|-h)$/.test(argv.at(-1)) || /^(?:help|completion)$/.test(argv[0]));
  if (!asks) return undefined;
  try {
    const text = JSON.parse(readFileSync(textsPath(bundle), "utf8"))[argv.join("\n")];
    return typeof text === "string" ? text : undefined;
  } catch {
    // What cannot be read is made anew.
    return undefined;
  }
}

/** @param {ReadonlyMap<string, string>} texts */
export function keepTexts(bundle, texts) {
  writeFileSync(textsPath(bundle), JSON.stringify(Object.fromEntries(texts)));
}

function textsPath(bundle) {
  return bundle.replace(/cjs$/, "json");
}
