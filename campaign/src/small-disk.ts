import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const BLOCK = 4096;

/** A file system of its own, in memory, that can be filled. */
export class SmallDisk {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Undefined where it cannot be mounted: it takes root on Linux. */
  static mount(path: string, mebibytes: number): SmallDisk | undefined {
    mkdirSync(path, { recursive: true });
    const done = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "mqb-campaign", path]);
    return done.status === 0 ? new SmallDisk(path) : undefined;
  }

  /** Takes all the space that is left. */
  fill(): void {
    const block = Buffer.alloc(BLOCK);
    for (let size = 1 << 20; size >= BLOCK; ) {
      try {
        writeFileSync(this.filler, size === BLOCK ? block : Buffer.alloc(size), { flag: "a" });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
        size >>= 1;
      }
    }
  }

  free(): void {
    rmSync(this.filler, { force: true });
  }

  unmount(): void {
    spawnSync("umount", [this.path]);
  }

  private get filler(): string {
    return join(this.path, "filler");
  }
}
