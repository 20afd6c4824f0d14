import { join } from "node:path";
import { fileSink, fileSource, positionedInput } from "../ends/file.ts";
import { SmallDisk } from "../small-disk.ts";
import type { Pair } from "./pair.ts";

const DISK_MEBIBYTES = 64;

export const fileToFile: Pair = {
  name: "file-file",
  needs: [],
  async open(world) {
    const input = join(world.folder, "in.jsonl");
    const output = join(world.folder, "out.jsonl");
    return {
      plugins: [],
      input: positionedInput(input),
      output: { file: { path: output, format: "raw" } },
      concurrency: 2,
      source: fileSource(input),
      sink: fileSink(output),
      faults: { servers: [] },
      order: "all",
      mayDouble: true,
    };
  },
};

/**
 * The same with a log of keys that grows, on a disk that is full now and then. A position needs no space once it is
 * there. What was written and not yet remembered when it is killed comes twice.
 */
export const fileToFileOnce: Pair = {
  ...fileToFile,
  name: "file-dedup-file",
  async open(world) {
    const disk = SmallDisk.mount(join(world.folder, "state"), DISK_MEBIBYTES);
    world.defer(() => disk?.unmount());
    const store = `file://${join(world.folder, "state", "keys")}`;
    return {
      ...(await fileToFile.open(world)),
      inputMiddlewares: [{ deduplication: { store, ttl_seconds: 86_400, key: "${payload:n}" } }],
      faults: { servers: [], ...(disk && { stateDisk: disk }) },
    };
  },
};
