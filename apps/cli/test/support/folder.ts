import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { type Finished, runCli, scratchFolder } from "./cli.ts";

/** A folder for each test, with the command run in it. */
export interface Folder {
  readonly path: string;
  write(name: string, text: string): void;
  mqb(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Finished>;
}

export function folderPerTest(): Folder {
  let scratch: ReturnType<typeof scratchFolder>;
  beforeEach(() => {
    scratch = scratchFolder();
  });
  afterEach(() => scratch.remove());
  return {
    get path() {
      return scratch.path;
    },
    write(name, text) {
      mkdirSync(dirname(join(scratch.path, name)), { recursive: true });
      writeFileSync(join(scratch.path, name), text);
    },
    mqb: (args, env = {}) => runCli(args, { cwd: scratch.path, env }),
  };
}

export const ROUTE = `routes:
  orders:
    input: { file: { path: in.jsonl } }
    output: { file: { path: out.jsonl } }
`;
