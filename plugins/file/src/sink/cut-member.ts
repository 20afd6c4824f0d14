import { codeOf } from "@mqb/core/plugin";
import { type CodecName, formatErrors, openDecompressor, type Packing } from "@mqb/formats";
import { readAt } from "../fs-calls.ts";

/** Where the last member may begin: what a batch becomes is mostly a small part of it. */
const TAIL_BYTES = 4 * 1024 * 1024;
/** So much at most is unfolded to find out. */
const UNFOLDED_MAX = 256 * 1024 * 1024;
/** Members at most that are tried, from the last one on. */
const TRIED = 16;
const FRAMES_MAX = 20_000;
const LENGTH_BYTES = 8;
const STARTS: Readonly<Record<CodecName, Buffer>> = {
  gzip: Buffer.from([0x1f, 0x8b, 8]),
  zstd: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
  lz4: Buffer.from([0x04, 0x22, 0x4d, 0x18]),
};

/**
 * Whether compressed or encrypted data ends within a member or frame, so that nothing that is appended could be read.
 * False also where its end does not tell: a member that is longer than the tail which is looked at.
 */
export async function endsCut(fd: number, size: number, { compression, cipher }: Packing): Promise<boolean> {
  if (cipher) return endsWithinFrame(fd, size);
  return compression !== undefined && endsWithinMember(fd, size, compression);
}

async function endsWithinFrame(fd: number, size: number): Promise<boolean> {
  let at = 0;
  for (let frames = 0; frames < FRAMES_MAX; frames++) {
    if (at === size) return false;
    const length = await readAt(fd, at, LENGTH_BYTES);
    if (length.length < LENGTH_BYTES) return true;
    at += LENGTH_BYTES + Number(length.readBigUInt64BE());
    if (at > size) return true;
  }
  return false;
}

/** What looks like the start of a member may be anything within one; what can be unfolded to the end of the file is none. */
async function endsWithinMember(fd: number, size: number, codec: CodecName): Promise<boolean> {
  const from = Math.max(0, size - TAIL_BYTES);
  const tail = await readAt(fd, from, size - from);
  let isCut = false;
  let tried = 0;
  for (let at = tail.lastIndexOf(STARTS[codec]); at >= 0 && tried < TRIED; tried++) {
    const end = await unfold(codec, tail.subarray(at));
    if (end === "whole") return false;
    if (end === "cut") isCut = true;
    at = at === 0 ? -1 : tail.lastIndexOf(STARTS[codec], at - 1);
  }
  return isCut;
}

async function unfold(codec: CodecName, bytes: Buffer): Promise<"whole" | "cut" | "other"> {
  const decompressor = await openDecompressor(codec, "");
  let unfolded = 0;
  const drain = async (): Promise<boolean> => {
    for (let piece = await decompressor.pull(); piece; piece = await decompressor.pull()) {
      unfolded += piece.length;
      if (unfolded > UNFOLDED_MAX) return false;
    }
    return true;
  };
  try {
    decompressor.push(bytes);
    if (!(await drain())) return "other";
    decompressor.finish();
    return (await drain()) ? "whole" : "other";
  } catch (error) {
    return codeOf(error) === formatErrors.TRUNCATED.code ? "cut" : "other";
  } finally {
    decompressor.close();
  }
}
