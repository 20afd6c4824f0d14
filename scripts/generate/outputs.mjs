import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../workspace.mjs";

/** What the generator would write, and what is there instead. Paths are relative to the root, with slashes. */
export class Outputs {
  /** @type {Map<string, string | undefined>} path -> wanted text; undefined = the file goes away */
  #stale = new Map();

  /**
   * @param {string} path
   * @param {string} text
   */
  file(path, text) {
    if (read(path) !== text) this.#stale.set(path, text);
  }

  /**
   * A JSON file that people edit too: rewritten only when its value differs, so that its layout stays theirs.
   * @param {string} path
   * @param {any} value
   */
  json(path, value) {
    const text = read(path);
    if (text !== undefined && JSON.stringify(JSON.parse(text)) === JSON.stringify(value)) return;
    this.#stale.set(path, `${JSON.stringify(value, undefined, 2)}\n`);
  }

  /** @param {string} path */
  remove(path) {
    if (existsSync(join(root, path))) this.#stale.set(path, undefined);
  }

  /** The files that differ, sorted. */
  get stale() {
    return [...this.#stale.keys()].sort();
  }

  write() {
    for (const [path, text] of this.#stale) {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      if (text === undefined) rmSync(file);
      else writeFileSync(file, text);
    }
  }
}

/**
 * @param {string} path
 * @returns {string | undefined}
 */
export function read(path) {
  const file = join(root, path);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}
