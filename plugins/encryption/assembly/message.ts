import { AAD, AT_AAD, AT_AAD_END } from "./layout";

export const TAG_SIZE: usize = 16;

// Puts what is authenticated beside the payload into one piece at AAD: header and nonce, then the message's own data.
export function gather(envelope: usize, body: usize, slot: usize): usize {
  const own = <usize>load<u32>(slot, AT_AAD);
  const ownSize = <usize>load<u32>(slot, AT_AAD_END) - own;
  const clear = body - envelope;
  memory.copy(AAD, envelope, clear);
  memory.copy(AAD + clear, own, ownSize);
  return clear + ownSize;
}

// Adds one to a number of so many bytes, the highest first.
export function countUp(number: usize, size: usize): void {
  for (let at = number + size - 1; at >= number; at--) {
    const byte = load<u8>(at) + 1;
    store<u8>(at, byte);
    if (byte != 0) return;
  }
}

// Whether two tags are different; looks at all of them.
export function differs(one: usize, other: usize): bool {
  return ((load<u64>(one) ^ load<u64>(other)) | (load<u64>(one, 8) ^ load<u64>(other, 8))) != 0;
}
