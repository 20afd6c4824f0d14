// XChaCha20-Poly1305, and AES-GCM but for AES itself, over many messages at once. No heap, numbers in, numbers out; no branch and no address depends on a
// secret. Who calls owns every area and 16 bytes of slack behind it.
import { derive, stream } from "./chacha";
import { AAD, AT_END, AT_NONCE, AT_OUT, AT_START, HEADER, IS_KEYED, NONCE, SLOT, STREAM, WANTED } from "./layout";
import { countUp, differs, gather, TAG_SIZE } from "./message";
import { absorb, absorbLengths, begin, finish } from "./poly1305";

export { counters, openGcm, sealGcm } from "./gcm";
export { hashKey } from "./ghash";

const NONCE_SIZE: usize = 24;

// Writes header, nonce, ciphertext and tag of each payload one after another from `out` on; returns their end. With
// `binds`, header, nonce and the message's additional data are authenticated.
export function seal(count: u32, slots: usize, out: usize, headerSize: usize, binds: u32): usize {
  for (let i: u32 = 0; i < count; i++) {
    const slot = slots + i * SLOT;
    const start = <usize>load<u32>(slot, AT_START);
    const size = <usize>load<u32>(slot, AT_END) - start;
    const body = out + headerSize + NONCE_SIZE;
    memory.copy(out, HEADER, headerSize);
    memory.copy(out + headerSize, NONCE, NONCE_SIZE);
    derive();
    encipher(start, body, size);
    const additional = binds ? gather(out, body, slot) : 0;
    authenticate(additional, body, size, body + size);
    countUp(NONCE, NONCE_SIZE);
    out = body + size + TAG_SIZE;
  }
  return out;
}

// Writes the payloads of the envelopes that are authentic one after another from `out` on, and says in their slots where;
// returns their end. Nothing of another one is written.
export function open(count: u32, slots: usize, out: usize, binds: u32): usize {
  for (let i: u32 = 0; i < count; i++) {
    const slot = slots + i * SLOT;
    const nonce = <usize>load<u32>(slot, AT_NONCE);
    const body = nonce + NONCE_SIZE;
    const tag = <usize>load<u32>(slot, AT_END) - TAG_SIZE;
    const size = tag - body;
    memory.copy(NONCE, nonce, NONCE_SIZE);
    derive();
    stream(0);
    begin();
    const additional = binds ? gather(<usize>load<u32>(slot, AT_START), body, slot) : 0;
    authenticate(additional, body, size, WANTED);
    if (differs(tag, WANTED)) {
      store<u32>(slot, 0, AT_OUT);
      continue;
    }
    cover(body, out, size);
    store<u32>(slot, <u32>out, AT_OUT);
    out += size;
  }
  return out;
}

// Forgets the subkey: the key is another one.
export function rekey(): void {
  store<u32>(IS_KEYED, 0);
}

function encipher(from: usize, to: usize, size: usize): void {
  stream(0);
  begin();
  cover(from, to, size);
}

// With the first four blocks in STREAM. Reads and writes up to 15 bytes too many.
function cover(from: usize, to: usize, size: usize): void {
  let done: usize = 0;
  let at: usize = STREAM + 64;
  let counter: u32 = 4;
  while (done < size) {
    if (at == STREAM + 256) {
      stream(counter);
      counter += 4;
      at = STREAM;
    }
    v128.store(to + done, v128.xor(v128.load(from + done), v128.load(at)));
    done += 16;
    at += 16;
  }
}

function authenticate(additional: usize, body: usize, size: usize, tag: usize): void {
  absorb(AAD, AAD + additional);
  absorb(body, body + size);
  absorbLengths(additional, size);
  finish(tag);
}
