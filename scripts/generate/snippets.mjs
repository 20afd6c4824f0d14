import { read } from "./outputs.mjs";

/**
 * A page in which every code block that names a file (```ts templates/connector/src/config.ts) holds that file, or the
 * one declaration of it that is named (```ts templates/connector/src/convert.ts#toFile).
 * @param {string} page path
 */
export function withSnippets(page) {
  try {
    return fillSnippets(read(page) ?? "", read);
  } catch (cause) {
    throw new Error(`${page} ${/** @type {Error} */ (cause).message}`);
  }
}

/**
 * @param {string} text
 * @param {(path: string) => string | undefined} readFile
 */
export function fillSnippets(text, readFile) {
  return text.replace(/^```(\w+) ([\w./-]+\/[\w.-]+)(?:#(\w+))?\n[\s\S]*?^```$/gm, (_block, language, file, name) => {
    const source = readFile(file);
    if (source === undefined) throw new Error(`shows ${file}, which is not there`);
    const shown = name === undefined ? source : declaration(source, name);
    if (shown === undefined) throw new Error(`shows ${name} of ${file}, which is not there`);
    return `\`\`\`${language} ${file}${name === undefined ? "" : `#${name}`}\n${shown.trimEnd()}\n\`\`\``;
  });
}

/**
 * From the comment above a declaration to the line that ends it, which begins with what closes it.
 * @param {string} source
 * @param {string} name
 * @returns {string | undefined}
 */
function declaration(source, name) {
  const lines = source.split("\n");
  const starts = new RegExp(`^(export )?(default )?(async )?(function\\*?|class|const|interface|type) ${name}\\b`);
  const at = lines.findIndex((line) => starts.test(line));
  if (at < 0) return undefined;
  let first = at;
  while (/^( \*|\/\*\*|\/\/)/.test(lines[first - 1] ?? "")) first -= 1;
  const open = /[{([]$/.test(lines[at] ?? "");
  const last = open ? lines.findIndex((line, i) => i > at && /^[})\]]/.test(line) && !/[{([]$/.test(line)) : at;
  return lines.slice(first, last + 1).join("\n");
}
