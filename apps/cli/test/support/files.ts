import { existsSync, statSync, watch } from "node:fs";
import { dirname } from "node:path";

/** Resolves when the file has at least `bytes`. */
export async function fileGrows(path: string, bytes: number): Promise<void> {
  const isLong = (): boolean => existsSync(path) && statSync(path).size >= bytes;
  if (isLong()) return;
  await new Promise<void>((resolve) => {
    const watcher = watch(dirname(path), () => {
      if (!isLong()) return;
      watcher.close();
      resolve();
    });
    if (isLong()) {
      watcher.close();
      resolve();
    }
  });
}
