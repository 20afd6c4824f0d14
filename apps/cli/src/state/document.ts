import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { describeError, systemClock } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import { cliErrors } from "../errors.ts";
import { otherThanPositions, wholeEntries } from "./leftover.ts";
import type { StateReport } from "./state.ts";

type Found = Omit<StateReport, "path" | "kind">;

/** Whether a file holds a document of positions. */
export async function checkDocument(path: string): Promise<Found> {
  if (!(await isThere(path))) return { state: "absent", details: [] };
  const findings = await standard.stores!["file"]!.probe!(resolve(path), { baseDir: "/", clock: systemClock });
  const contents = findings.find(({ check }) => check === "exists")!;
  return { state: contents.ok ? "sound" : "damaged", details: [contents.detail] };
}

/**
 * Moves a damaged file out of the way, and writes the entries of it that are whole into a new one. A file that may be
 * something else stays where it is: a `config` error says what it looks like.
 */
export async function repairDocument(path: string): Promise<Found> {
  const found = await checkDocument(path);
  if (found.state !== "damaged") return found;
  const text = await textOf(path);
  const other = otherThanPositions(text);
  if (other !== undefined)
    throw cliErrors.USAGE({ message: `${path} holds no positions, but ${other}; it stays where it is` });
  const kept = await unusedName(`${path}.damaged`);
  const { mode } = await stat(path);
  await rename(path, kept);
  const count = await writeAnew(path, wholeEntries(text), mode);
  const rest =
    count > 0
      ? `${count} whole entries of it are in ${path} again; what else it held begins anew`
      : "all of it begins anew";
  return { state: "repaired", details: [...found.details, `it is ${kept} now; ${rest}`] };
}

/** Returns how many entries there are now: none when they are not those of a document all the same. */
async function writeAnew(path: string, entries: readonly string[], mode: number): Promise<number> {
  if (entries.length === 0) return 0;
  await writeFile(path, `{\n${entries.join(",\n")}\n}`, { flag: "wx", mode });
  if ((await checkDocument(path)).state === "sound") return entries.length;
  await rm(path);
  return 0;
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw cliErrors.USAGE({ message: `${path} cannot be read (${describeError(error)}); it stays where it is` });
  }
}

async function unusedName(path: string): Promise<string> {
  for (let n = 0; ; n++) {
    const name = n === 0 ? path : `${path}-${n}`;
    if (!(await isThere(name))) return name;
  }
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
