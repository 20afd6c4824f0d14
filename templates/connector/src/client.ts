import { join, resolve } from "node:path";
import type { OpenContext } from "@mqb/core/plugin";
import type { PigeonholeConfig } from "./config.ts";
import { fromFileSystem } from "./errors.ts";

/** The folder, as both sides use it. */
export interface Pigeonhole {
  readonly path: string;
  /** The names of the messages that lie there, oldest first. */
  list(): Promise<string[]>;
  /** `undefined` when somebody else has removed it. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Resolves when the file is complete under its name: a reader never sees a part of it. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** An absent file is no error. */
  remove(name: string): Promise<void>;
}

const ENDING = ".msg";

/** Connects. The client is imported here and not at the top: who does not open this endpoint does not load it. */
export async function openPigeonhole(config: PigeonholeConfig, context: OpenContext): Promise<Pigeonhole> {
  const { mkdir, readdir, readFile, rename, rm, writeFile } = await import("node:fs/promises");
  const path = resolve(context.baseDir, config.path);
  await attempt("open", () => mkdir(path, { recursive: true }));

  async function attempt<T>(work: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (cause) {
      throw fromFileSystem(cause, path, work);
    }
  }

  return {
    path,
    list: () => attempt("list", async () => (await readdir(path)).filter((name) => name.endsWith(ENDING)).sort()),
    read: (name) =>
      attempt("read", () =>
        readFile(join(path, name)).catch((cause: NodeJS.ErrnoException) => {
          if (cause.code === "ENOENT") return undefined;
          throw cause;
        }),
      ),
    put: (name, bytes) =>
      attempt("write to", async () => {
        const part = join(path, `${name}.part`);
        await writeFile(part, bytes, { flush: true });
        await rename(part, join(path, name + ENDING));
      }),
    remove: (name) => attempt("remove from", () => rm(join(path, name), { force: true })),
  };
}
