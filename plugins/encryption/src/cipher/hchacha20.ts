/** "expand 32-byte k" */
const CONSTANTS = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574];

/** HChaCha20 (draft-irtf-cfrg-xchacha): a subkey of 32 bytes from a key of 32 and 16 bytes of a nonce. */
export function hchacha20(key: Uint8Array, nonce: Uint8Array): Uint8Array {
  const state = new Uint32Array(16);
  state.set(CONSTANTS);
  const words = (bytes: Uint8Array, at: number): void => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let i = 0; i < bytes.length / 4; i++) state[at + i] = view.getUint32(4 * i, true);
  };
  words(key, 4);
  words(nonce, 12);
  for (let round = 0; round < 10; round++) {
    for (let i = 0; i < 4; i++) quarter(state, i, 4 + i, 8 + i, 12 + i);
    for (let i = 0; i < 4; i++) quarter(state, i, 4 + ((i + 1) & 3), 8 + ((i + 2) & 3), 12 + ((i + 3) & 3));
  }
  const subkey = new Uint8Array(32);
  const view = new DataView(subkey.buffer);
  for (let i = 0; i < 4; i++) {
    view.setUint32(4 * i, state[i]!, true);
    view.setUint32(16 + 4 * i, state[12 + i]!, true);
  }
  return subkey;
}

function quarter(x: Uint32Array, a: number, b: number, c: number, d: number): void {
  x[a]! += x[b]!;
  x[d] = rotate(x[d]! ^ x[a]!, 16);
  x[c]! += x[d]!;
  x[b] = rotate(x[b]! ^ x[c]!, 12);
  x[a]! += x[b]!;
  x[d] = rotate(x[d]! ^ x[a]!, 8);
  x[c]! += x[d]!;
  x[b] = rotate(x[b]! ^ x[c]!, 7);
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
