import { readFile, rename, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { describeError, systemClock } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import { cliErrors } from "../errors.ts";
import { otherThanPositions } from "./leftover.ts";
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
 * Such a file is replaced as a whole, so that one that is damaged holds nothing of use. It is moved out of the way. A file
 * that may be something else stays where it is: a `config` error says what it looks like.
 */
export async function repairDocument(path: string): Promise<Found> {
  const found = await checkDocument(path);
  if (found.state !== "damaged") return found;
  const other = otherThanPositions(await textOf(path));
  if (other !== undefined)
    throw cliErrors.USAGE({ message: `${path} holds no positions, but ${other}; it stays where it is` });
  const kept = await unusedName(`${path}.damaged`);
  await rename(path, kept);
  return { state: "repaired", details: [...found.details, `it is ${kept} now; the positions begin anew`] };
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
