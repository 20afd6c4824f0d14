import type { OpenContext } from "@mqb/core/plugin";

/** Keeps a file's appenders and whoever rewrites it apart, within one bridge. */
export class PathLock {
  /** Raised when another file has taken the name, so that appenders open it anew. */
  version = 0;
  private last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const run = this.last.then(work, work);
    this.last = run.catch(() => {});
    return run;
  }
}

/** The lock of a real path. One small object per path that the bridge has ever written to or cut. */
export function pathLock(context: Pick<OpenContext, "local">, realPath: string): PathLock {
  return context.local(`file:lock:${realPath}`, () => new PathLock());
}
