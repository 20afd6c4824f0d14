import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The package of this command: its folder and its package.json. Found upwards, since a bundle lies less deep. */
export function ownPackage(): { readonly folder: string; readonly json: Readonly<Record<string, unknown>> } {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    try {
      const json: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      return { folder, json: json as Record<string, unknown> };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || folder === dirname(folder)) throw error;
      folder = dirname(folder);
    }
  }
}
