// AES-GCM but for AES: node:crypto enciphers the counter blocks of many messages with one call, and what comes of it
// stands in `streams`, for each message one block for the tag and those for the payload.
import { blocksOf, hashLanes, LANE_COUNT, laneEnd } from "./ghash";
import {
  AT_AAD,
  AT_AAD_END,
  AT_END,
  AT_NONCE,
  AT_OUT,
  AT_START,
  COUNTING,
  FILLED,
  HEADER,
  NONCE,
  ROWS,
  SLOT,
  WANTED,
} from "./layout";
import { countUp, differs, TAG_SIZE } from "./message";

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
  for (let first: u32 = 0; first < count; first += LANE_COUNT) {
    const lanes = min(count - first, LANE_COUNT);
    let stream = streams;
    let most: usize = 0;
    let at = out;
    for (let lane: u32 = 0; lane < lanes; lane++) {
      const slot = slots + (first + lane) * SLOT;
      const start = <usize>load<u32>(slot, AT_START);
      const size = <usize>load<u32>(slot, AT_END) - start;
      const body = at + headerSize + NONCE_SIZE;
      memory.copy(at, HEADER, headerSize);
      memory.copy(at + headerSize, NONCE, NONCE_SIZE);
      cover(start, body, stream + 16, size);
      most = max(most, fill(lane, binds ? at : body, body, size, slot));
      countUp(NONCE, NONCE_SIZE);
      stream += streamSize(size);
      at = body + size + TAG_SIZE;
    }
    finish(lanes, most);
    for (let lane: u32 = 0; lane < lanes; lane++) {
      const slot = slots + (first + lane) * SLOT;
      const size = <usize>load<u32>(slot, AT_END) - <usize>load<u32>(slot, AT_START);
      const end = out + headerSize + NONCE_SIZE + size;
      v128.store(end, v128.xor(v128.load(ROWS + lane * 16), v128.load(streams)));
      streams += streamSize(size);
      out = end + TAG_SIZE;
    }
  }
  return out;
}

// As `open` of index.ts.
export function openGcm(count: u32, slots: usize, out: usize, binds: u32, streams: usize): usize {
  for (let first: u32 = 0; first < count; first += LANE_COUNT) {
    const lanes = min(count - first, LANE_COUNT);
    let most: usize = 0;
    for (let lane: u32 = 0; lane < lanes; lane++) {
      const slot = slots + (first + lane) * SLOT;
      const body = <usize>load<u32>(slot, AT_NONCE) + NONCE_SIZE;
      const size = <usize>load<u32>(slot, AT_END) - TAG_SIZE - body;
      most = max(most, fill(lane, binds ? <usize>load<u32>(slot, AT_START) : body, body, size, slot));
    }
    finish(lanes, most);
    for (let lane: u32 = 0; lane < lanes; lane++) {
      const slot = slots + (first + lane) * SLOT;
      const body = <usize>load<u32>(slot, AT_NONCE) + NONCE_SIZE;
      const tag = <usize>load<u32>(slot, AT_END) - TAG_SIZE;
      const size = tag - body;
      v128.store(WANTED, v128.xor(v128.load(ROWS + lane * 16), v128.load(streams)));
      if (differs(tag, WANTED)) store<u32>(slot, 0, AT_OUT);
      else {
        cover(body, out, streams + 16, size);
        store<u32>(slot, <u32>out, AT_OUT);
        out += size;
      }
      streams += streamSize(size);
    }
  }
  return out;
}

function streamSize(size: usize): usize {
  return 16 + ((size + 15) & ~15);
}

// Puts what is hashed of a message at the end of its lane, and returns how many blocks that are. From `clear` to `body` the
// envelope is authenticated, and the message's own data with it; nothing is where both are the same.
function fill(lane: u32, clear: usize, body: usize, size: usize, slot: usize): usize {
  const own = <usize>load<u32>(slot, AT_AAD);
  const ownSize: usize = clear == body ? 0 : <usize>load<u32>(slot, AT_AAD_END) - own;
  const additional = body - clear + ownSize;
  const blocks = blocksOf(additional) + blocksOf(size) + 1;
  const end = laneEnd(lane);
  const start = end - blocks * 16;
  const middle = start + blocksOf(additional) * 16;
  memory.copy(start, clear, body - clear);
  memory.copy(start + (body - clear), own, ownSize);
  memory.fill(start + additional, 0, middle - start - additional);
  memory.copy(middle, body, size);
  memory.fill(middle + size, 0, end - 16 - middle - size);
  store<u64>(end - 16, bswap<u64>(<u64>additional << 3));
  store<u64>(end - 8, bswap<u64>(<u64>size << 3));
  store<u32>(FILLED + lane * 4, <u32>blocks);
  return blocks;
}

// Hashes lanes of which the longest has `most` blocks.
function finish(lanes: u32, most: usize): void {
  for (let lane: u32 = 0; lane < lanes; lane++) {
    const blocks = <usize>load<u32>(FILLED + lane * 4);
    memory.fill(laneEnd(lane) - most * 16, 0, (most - blocks) * 16);
  }
  hashLanes(most);
}

// Reads and writes up to 15 bytes too many.
function cover(from: usize, to: usize, stream: usize, size: usize): void {
  for (let done: usize = 0; done < size; done += 16)
    v128.store(to + done, v128.xor(v128.load(from + done), v128.load(stream + done)));
}
