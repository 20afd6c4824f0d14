import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootstrap } from "../bootstrap.mjs";
import { root } from "../workspace.mjs";

export interface Ran {
  readonly code: number | null;
  /** Both streams, as they came. */
  readonly output: string;
}

/** Runs a command to its end and keeps what it says. */
export function ran(command: string, args: readonly string[], cwd: string, env = process.env): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}

/** A copy of this checkout, also of what is not committed yet, to change and throw away. */
export class WorkspaceCopy implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "mqb-workspace-"));
  private readonly env = bootstrap({ build: false });

  constructor() {
    const list = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
    if (list.status !== 0) throw new Error(`git ls-files: ${list.stderr}`);
    for (const path of list.stdout.toString("utf8").split("\0")) {
      if (path !== "" && existsSync(join(root, path))) cpSync(join(root, path), join(this.folder, path));
    }
    symlinkSync(join(root, ".cache"), join(this.folder, ".cache"));
  }

  run(command: string, ...args: readonly string[]): Promise<Ran> {
    return ran(command, args, this.folder, this.env);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }
}
