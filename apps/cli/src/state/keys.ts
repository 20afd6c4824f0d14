import { basename } from "node:path";
import { type FileReport, inspectFolder, isDamaged, type Range, repairFolder } from "@mqb/dedup";
import type { StateReport } from "./state.ts";

type Found = Omit<StateReport, "path" | "kind">;

/** Reads every byte of a folder of keys. */
export async function checkKeys(folder: string, now: number): Promise<Found> {
  const files = await inspectFolder(folder, now);
  if (!files || files.length === 0) return { state: "absent", details: [] };
  const details = files.flatMap(linesOf);
  const keys = files.reduce((sum, file) => sum + file.keys, 0);
  const expired = files.reduce((sum, file) => sum + file.expired, 0);
  details.unshift(`${keys} keys in ${files.length} ${files.length === 1 ? "file" : "files"}, ${expired} more expired`);
  return { state: files.some(isDamaged) ? "damaged" : "sound", details };
}

export async function repairKeys(folder: string): Promise<Found> {
  const repaired = await repairFolder(folder);
  const details = repaired.map(({ file, kept, lost, bytes }) => {
    const result = bytes > 0 ? `written anew with ${bytes} bytes` : "taken away";
    return `${basename(file)} was ${result}, ${lost} bytes could not be read; as it was it is ${kept}`;
  });
  return { state: repaired.length > 0 ? "repaired" : "sound", details };
}

function linesOf({ file, bytes, damaged, unfinished, headless }: FileReport): string[] {
  const name = basename(file);
  const lines = damaged.map((range) => `${name}: damaged ${rangeText(range)}`);
  if (headless) lines.unshift(`${name}: cannot be read from its beginning on (${bytes} bytes)`);
  if (unfinished) lines.push(`${name}: ends in a write that did not finish, ${rangeText(unfinished)}; no harm`);
  return lines;
}

function rangeText({ from, to }: Range): string {
  return `from byte ${from} to ${to}`;
}
