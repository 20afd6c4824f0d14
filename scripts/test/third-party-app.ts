import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootstrap } from "../bootstrap.mjs";
import { root, workspacePackages } from "../workspace.mjs";
import { type Ran, ran } from "./workspace-copy.ts";

/** A user's folder outside of the workspace: what is packed from here is installed there by npm, as from a registry. */
export class ThirdPartyApp implements Disposable {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "mqb-third-party-")));
  private readonly env = bootstrap();

  /** Packs the packages with all that they need of the workspace, and installs them beside the plugin. */
  async install(names: readonly string[], plugin: string): Promise<void> {
    const tarballs = join(this.folder, "tarballs");
    mkdirSync(tarballs);
    const folders = [...closure(names).map((folder) => join(root, folder)), plugin];
    for (const folder of folders) await this.must("pnpm", ["pack", "--pack-destination", tarballs], folder);
    const packed = readdirSync(tarballs).map((file) => [nameOf(file), `file:tarballs/${file}`]);
    this.write("package.json", {
      name: "app",
      private: true,
      type: "module",
      dependencies: Object.fromEntries(packed),
    });
    await this.must("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund"], this.folder);
  }

  /** A package that stands in node_modules and among the dependencies, without a registry. */
  addPackage(name: string, manifest: object, files: Readonly<Record<string, string>>): void {
    const own = {
      name,
      version: "1.0.0",
      type: "module",
      exports: { ".": "./index.js", "./package.json": "./package.json" },
    };
    this.write(`node_modules/${name}/package.json`, { ...own, ...manifest });
    for (const [file, text] of Object.entries(files)) this.write(`node_modules/${name}/${file}`, text);
    const app = JSON.parse(readFileSync(join(this.folder, "package.json"), "utf8"));
    this.write("package.json", { ...app, dependencies: { ...app.dependencies, [name]: "1.0.0" } });
  }

  removePackage(name: string): void {
    rmSync(join(this.folder, "node_modules", name), { recursive: true });
    const app = JSON.parse(readFileSync(join(this.folder, "package.json"), "utf8"));
    delete app.dependencies[name];
    this.write("package.json", app);
  }

  copy(from: string, to: string): void {
    cpSync(from, join(this.folder, to), { recursive: true });
  }

  write(path: string, content: string | object): void {
    mkdirSync(join(this.folder, path, ".."), { recursive: true });
    writeFileSync(
      join(this.folder, path),
      typeof content === "string" ? content : JSON.stringify(content, undefined, 2),
    );
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), "utf8");
  }

  /** The installed `mqb`. */
  mqb(...args: readonly string[]): Promise<Ran> {
    return ran(join(this.folder, "node_modules/.bin/mqb"), args, this.folder);
  }

  node(...args: readonly string[]): Promise<Ran> {
    return ran(process.execPath, args, this.folder);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }

  private async must(command: string, args: readonly string[], cwd: string): Promise<void> {
    const { code, output } = await ran(command, args, cwd, this.env);
    if (code !== 0) throw new Error(`${command} ${args.join(" ")} in ${cwd} ended with ${code}:\n${output}`);
  }
}

/** The folders of packages and of what they depend on in the workspace. */
function closure(names: readonly string[]): string[] {
  const packages = new Map(workspacePackages().map((found) => [found.name, found]));
  const needed = new Set<string>();
  const add = (name: string): void => {
    const found = packages.get(name);
    if (!found || needed.has(found.folder)) return;
    needed.add(found.folder);
    for (const other of Object.keys({ ...found.manifest.dependencies, ...found.manifest.peerDependencies })) add(other);
  };
  for (const name of names) add(name);
  return [...needed];
}

/** `mqb-core-0.1.0.tgz` is @mqb/core. */
function nameOf(tarball: string): string {
  const name = tarball.replace(/-\d+\.\d+\.\d+.*\.tgz$/, "");
  return name.startsWith("mqb-plugin-") ? name : name.replace(/^mqb-/, "@mqb/");
}
