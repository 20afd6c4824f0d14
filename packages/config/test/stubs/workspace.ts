import { existsSync, readdirSync, readFileSync } from "node:fs";
import { type PluginManifest, readManifest } from "@mqb/core";

/** A package of the workspace that is a plugin. */
export interface WorkspacePlugin {
  readonly name: string;
  readonly folder: URL;
  readonly manifest: PluginManifest;
}

const root = new URL("../../../../", import.meta.url);

interface WorkspacePackage {
  readonly name: string;
  readonly folder: URL;
  readonly json: unknown;
}

function packages(): WorkspacePackage[] {
  return ["packages/", "plugins/"].flatMap((group) => {
    const inside = new URL(group, root);
    return readdirSync(inside).flatMap((entry) => {
      const folder = new URL(`${entry}/`, inside);
      const file = new URL("package.json", folder);
      if (!existsSync(file) || !existsSync(new URL("src/index.ts", folder))) return [];
      const json = JSON.parse(readFileSync(file, "utf8")) as { readonly name: string };
      return [{ name: json.name, folder, json }];
    });
  });
}

export function workspacePlugins(): WorkspacePlugin[] {
  return packages().flatMap(({ name, folder, json }) => {
    const manifest = readManifest(json, name);
    return manifest ? [{ name, folder, manifest }] : [];
  });
}

/** Whether the workspace has what `@mqb/x` or `@mqb/x name` stands for: a plugin, or one of the names that it brings. */
export function isHere(what: string, plugins: readonly WorkspacePlugin[]): boolean {
  const [packageName, name] = what.split(" ");
  const found = plugins.find((one) => one.name === packageName);
  if (!found || name === undefined) return found !== undefined;
  const { endpoints, middlewares, stores } = found.manifest;
  return [...endpoints, ...middlewares, ...stores].includes(name);
}
