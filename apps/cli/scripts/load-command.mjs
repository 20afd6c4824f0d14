// Loads the bundled command with the code cache that was made with it. Part of the bundle of src/bin.ts.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { Script } from "node:vm";

/**
 * Runs a bundled CommonJS module. The code that V8 has kept of it in the file beside it saves compiling, which takes as
 * long as all else that a small copy does; another version of Node takes no notice of it and compiles.
 */
export function loadCommand(path) {
  // The bundle is ASCII: a text of single bytes is what V8 reads fastest.
  const source = readFileSync(path, "latin1");
  const script = new Script(
    `(function (exports, require, module, __filename, __dirname, importModule) {${source}\n})`,
    {
      filename: path,
      cachedData: readCache(cachePath(path)),
    },
  );
  const module = { exports: {} };
  // Code that comes out of a cache has no import() of its own.
  const importModule = (specifier) => import(specifier);
  script.runInThisContext()(module.exports, createRequire(path), module, path, dirname(path), importModule);
  return { exports: module.exports, script };
}

export function cachePath(path) {
  return path.replace(/cjs$/, "cache");
}

function readCache(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
