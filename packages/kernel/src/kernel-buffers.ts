import { sharedArena } from "./arena.ts";
import { CHUNK_SIZE } from "./layout.ts";

/**
 * A buffer of `size` bytes in the memory of the kernel, where the loops look at what is read into it without copying it.
 * There are few of them, for those who give them back: undefined when all are in use, for another size than that of a
 * chunk with its headroom, and where there is no SIMD. Nothing but views of it may be made: it cannot be handed to another
 * thread, to which all of the kernel's memory would be copied.
 */
export function takeKernelBuffer(size: number): Buffer | undefined {
  if (size > CHUNK_SIZE || size <= CHUNK_SIZE / 2) return undefined;
  const { memory, freeChunks, lentChunks } = sharedArena("auto");
  const at = freeChunks.pop();
  if (at === undefined) return undefined;
  const bytes = memory.subarray(at, at + size);
  lentChunks.set(at, bytes);
  return bytes;
}

export function isKernelBuffer(bytes: Buffer): boolean {
  return bytes.buffer === sharedArena("auto").memory.buffer;
}

/**
 * Gives one back that nobody looks at any more. False, and nothing is done, for anything but the very buffer that was taken,
 * as long as it has not been given back: whoever has its memory by now keeps it. One that is never given back is lost.
 */
export function giveBackKernelBuffer(bytes: Buffer): boolean {
  const { freeChunks, lentChunks } = sharedArena("auto");
  const { byteOffset } = bytes;
  if (lentChunks.get(byteOffset) !== bytes) return false;
  lentChunks.delete(byteOffset);
  freeChunks.push(byteOffset);
  return true;
}
