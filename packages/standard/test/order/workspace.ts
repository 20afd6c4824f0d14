import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRegistry } from "@mqb/core";
import type { Plugin } from "@mqb/core/plugin";

interface Manifest {
  readonly mqb?: { readonly middlewares?: readonly string[] };
}

/** Every plugin of the workspace, with the middlewares that its package says it brings. */
export async function workspacePlugins(): Promise<readonly Plugin[]> {
  const root = new URL("../../../../", import.meta.url);
  const folders = ["packages/", "plugins/"].flatMap((group) =>
    readdirSync(new URL(group, root)).map((entry) => new URL(`${group}${entry}/`, root)),
  );
  const plugins = folders.filter((folder) => {
    const file = new URL("package.json", folder);
    if (!existsSync(file) || !existsSync(new URL("src/index.ts", folder))) return false;
    return (JSON.parse(readFileSync(file, "utf8")) as Manifest).mqb !== undefined;
  });
  const loaded = await Promise.all(
    plugins.map(async (folder) => (await import(new URL("src/index.ts", folder).href)) as { default: Plugin }),
  );
  return createRegistry(loaded.map((one) => one.default)).plugins;
}
