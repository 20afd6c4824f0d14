import { describe, expect, it } from "vitest";
import { fillSnippets } from "../generate/snippets.mjs";

const source = `import { a } from "a";

/** Adds. */
export function add(
  a: number,
  b: number,
): number {
  return a + b;
}

const one = 1;
`;
const fill = (text: string) => fillSnippets(text, (path: string) => (path === "src/a.ts" ? source : undefined));
const block = (info: string, content: string) => `before\n\n\`\`\`ts ${info}\n${content}\`\`\`\n\nafter\n`;

describe("code in a guide", () => {
  it("is the whole file, or one declaration with its comment", () => {
    expect(fill(block("src/a.ts", ""))).toBe(block("src/a.ts", source));
    expect(fill(block("src/a.ts#one", "old\n"))).toBe(block("src/a.ts#one", "const one = 1;\n"));
    const add = source.slice(source.indexOf("/**"), source.indexOf("const")).trimEnd();
    expect(fill(block("src/a.ts#add", ""))).toBe(block("src/a.ts#add", `${add}\n`));
  });

  it("does not change when it is filled in twice", () => {
    const once = fill(block("src/a.ts#add", ""));
    expect(fill(once)).toBe(once);
  });

  it("is left alone when it names no file", () => {
    const text = "```sh\nnpm test\n```\n\n```ts\nconst x = 1;\n```\n";
    expect(fill(text)).toBe(text);
  });

  it("fails for a file or a name that is not there", () => {
    expect(() => fill(block("src/b.ts", ""))).toThrow("src/b.ts");
    expect(() => fill(block("src/a.ts#gone", ""))).toThrow("gone of src/a.ts");
  });
});
