import fs from "node:fs";
import fsPromises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

type Callback = (error: NodeJS.ErrnoException | null, ...rest: unknown[]) => void;

/** Makes calls of the file system fail, until it is disposed of. */
export class FailingCalls implements Disposable {
  private readonly restores: (() => void)[] = [];

  /** `rename` of `node:fs/promises` rejects. */
  rename(code: string): this {
    return this.replace(fsPromises, "rename", () => Promise.reject(systemError(code)));
  }

  /** `access` of `node:fs/promises` rejects for this path. */
  access(code: string, path: string): this {
    const real = fsPromises.access;
    return this.replace(fsPromises, "access", (asked: string, mode: number) =>
      asked === path ? Promise.reject(systemError(code)) : real(asked, mode),
    );
  }

  /** `read` fails. */
  read(code: string): this {
    return this.replace(fs, "read", (...args: unknown[]) => (args.at(-1) as Callback)(systemError(code)));
  }

  /** `write` takes `bytes` of what it is given, then fails. */
  write(code: string, bytes: number): this {
    const real = fs.write as (...args: unknown[]) => void;
    let left = bytes;
    return this.replace(
      fs,
      "write",
      (fd: number, buffer: Buffer, offset: number, length: number, at: unknown, done: Callback) => {
        if (left === 0) done(systemError(code));
        else {
          const some = Math.min(left, length);
          left -= some;
          real(fd, buffer, offset, some, at, done);
        }
      },
    );
  }

  /** Runs something before the next call of `write`. */
  beforeWrite(meanwhile: () => void): this {
    const real = fs.write as (...args: unknown[]) => void;
    let left = 1;
    return this.replace(fs, "write", (...args: unknown[]) => {
      if (left-- === 1) meanwhile();
      real(...args);
    });
  }

  /** `open` fails. */
  open(code: string): this {
    return this.replace(fs, "open", (...args: unknown[]) => (args.at(-1) as Callback)(systemError(code)));
  }

  /** `fsync` fails. */
  sync(code: string): this {
    return this.replace(fs, "fsync", (_: number, done: Callback) => done(systemError(code)));
  }

  [Symbol.dispose](): void {
    // The last replacement first: it may stand over another one.
    for (const restore of this.restores.reverse()) restore();
    syncBuiltinESMExports();
  }

  private replace(module: object, name: string, by: (...args: never[]) => unknown): this {
    const calls = module as Record<string, unknown>;
    const before = calls[name];
    calls[name] = by;
    this.restores.push(() => {
      calls[name] = before;
    });
    syncBuiltinESMExports();
    return this;
  }
}

function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: made to fail`), { code });
}
