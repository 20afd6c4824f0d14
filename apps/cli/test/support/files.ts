import { existsSync, readFileSync, statSync, watch } from "node:fs";
import { dirname } from "node:path";

/** Resolves when the file has at least `bytes`. */
export function fileGrows(path: string, bytes: number): Promise<void> {
  return fileBecomes(path, () => statSync(path).size >= bytes);
}

/** Resolves when the file holds this text. */
export function fileHolds(path: string, text: string): Promise<void> {
  return fileBecomes(path, () => readFileSync(path, "utf8").includes(text));
}

async function fileBecomes(path: string, holds: () => boolean): Promise<void> {
  const does = (): boolean => existsSync(path) && holds();
  if (does()) return;
  await new Promise<void>((resolve) => {
    const watcher = watch(dirname(path), () => {
      if (!does()) return;
      watcher.close();
      resolve();
    });
    if (does()) {
      watcher.close();
      resolve();
    }
  });
}
