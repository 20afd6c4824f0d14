import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const SAMPLES_ALIKE = 4;
const SAMPLE_EVERY_MS = 15;
const KIBIBYTE = 1024;

/** Payload size of the tests of memory, and how many of them: far more than a source may hold in advance. */
export const LARGE_PAYLOAD: number = 64 * KIBIBYTE;
export const LARGE_COUNT = 256;

/** Bytes held in buffers after garbage collection, once they do not change any more. */
export async function settledMemory(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  let last = -1;
  for (let alike = 0; alike < SAMPLES_ALIKE; ) {
    await new Promise((resolve) => setTimeout(resolve, SAMPLE_EVERY_MS));
    collect();
    const { arrayBuffers } = process.memoryUsage();
    alike = Math.abs(arrayBuffers - last) < LARGE_PAYLOAD ? alike + 1 : 0;
    last = arrayBuffers;
  }
  return last;
}

export function kibibytes(bytes: number): string {
  return `${Math.round(bytes / KIBIBYTE)} KiB`;
}
