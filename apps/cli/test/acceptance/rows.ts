import { readFileSync } from "node:fs";
import { join } from "node:path";

/** JSON lines with a number, a word and a text that needs care. */
export function jsonRows(count: number): string[] {
  return Array.from({ length: count }, (_, i) =>
    JSON.stringify({ id: i + 1, tier: i % 3 === 0 ? "pro" : "free", text: `Zeile ${i}, "ü" \\ 𝄞` }),
  );
}

export function linesOf(folder: string, file: string): string[] {
  return readFileSync(join(folder, file), "utf8").split("\n").filter(Boolean);
}

export function asText(rows: readonly string[]): string {
  return rows.map((row) => `${row}\n`).join("");
}
