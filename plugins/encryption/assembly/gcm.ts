// AES-GCM but for AES: node:crypto enciphers the counter blocks of many messages with one call, and what comes of it
// stands in `streams`, for each message one block for the tag and those for the payload.
import { beginHash, finishHash, hash } from "./ghash";
import { AAD, AT_END, AT_NONCE, AT_OUT, AT_START, COUNTING, HEADER, NONCE, SLOT, WANTED } from "./layout";
import { countUp, differs, gather, TAG_SIZE } from "./message";

const NONCE_SIZE: usize = 12;

// Writes the counter blocks of each message from `to` on; returns their end. Nonces are in the envelopes, or counted up.
export function counters(count: u32, slots: usize, to: usize, opening: u32): usize {
  memory.copy(COUNTING, NONCE, NONCE_SIZE);
  for (let i: u32 = 0; i < count; i++) {
    const slot = slots + i * SLOT;
    const end = <usize>load<u32>(slot, AT_END);
    const nonce = opening ? <usize>load<u32>(slot, AT_NONCE) : COUNTING;
    const size = opening ? end - TAG_SIZE - nonce - NONCE_SIZE : end - <usize>load<u32>(slot, AT_START);
    const behind = to + streamSize(size);
    for (let number: u32 = 1; to < behind; number++) {
      store<u64>(to, load<u64>(nonce));
      store<u32>(to, load<u32>(nonce, 8), 8);
      store<u32>(to, bswap<u32>(number), 12);
      to += 16;
    }
    if (!opening) countUp(COUNTING, NONCE_SIZE);
  }
  return to;
}

// As `seal` of index.ts.
export function sealGcm(count: u32, slots: usize, out: usize, headerSize: usize, binds: u32, streams: usize): usize {
  for (let i: u32 = 0; i < count; i++) {
    const slot = slots + i * SLOT;
    const start = <usize>load<u32>(slot, AT_START);
    const size = <usize>load<u32>(slot, AT_END) - start;
    const body = out + headerSize + NONCE_SIZE;
    memory.copy(out, HEADER, headerSize);
    memory.copy(out + headerSize, NONCE, NONCE_SIZE);
    cover(start, body, streams + 16, size);
    authenticate(binds ? gather(out, body, slot) : 0, body, size, streams, body + size);
    countUp(NONCE, NONCE_SIZE);
    streams += streamSize(size);
    out = body + size + TAG_SIZE;
  }
  return out;
}

// As `open` of index.ts.
export function openGcm(count: u32, slots: usize, out: usize, binds: u32, streams: usize): usize {
  for (let i: u32 = 0; i < count; i++) {
    const slot = slots + i * SLOT;
    const body = <usize>load<u32>(slot, AT_NONCE) + NONCE_SIZE;
    const tag = <usize>load<u32>(slot, AT_END) - TAG_SIZE;
    const size = tag - body;
    const additional = binds ? gather(<usize>load<u32>(slot, AT_START), body, slot) : 0;
    authenticate(additional, body, size, streams, WANTED);
    if (differs(tag, WANTED)) store<u32>(slot, 0, AT_OUT);
    else {
      cover(body, out, streams + 16, size);
      store<u32>(slot, <u32>out, AT_OUT);
      out += size;
    }
    streams += streamSize(size);
  }
  return out;
}

function streamSize(size: usize): usize {
  return 16 + ((size + 15) & ~15);
}

function authenticate(additional: usize, body: usize, size: usize, stream: usize, tag: usize): void {
  beginHash();
  hash(AAD, AAD + additional);
  hash(body, body + size);
  finishHash(additional, size, stream, tag);
}

// Reads and writes up to 15 bytes too many.
function cover(from: usize, to: usize, stream: usize, size: usize): void {
  for (let done: usize = 0; done < size; done += 16)
    v128.store(to + done, v128.xor(v128.load(from + done), v128.load(stream + done)));
}
