// Puts pieces of two buffers together; src/pieces.ts writes the list.
import { PIECE_OF_TEXT } from "./layout";

// list: of each piece its position and its size, with PIECE_OF_TEXT where it lies in the text. `source` and `text` are what
// is added to the positions. Up to 31 bytes behind each piece are read, and written. The address behind the last one.
export function pieces(count: u32, list: usize, source: usize, text: usize, out: usize): usize {
  for (; count > 0; count--, list += 8) {
    const word: u32 = load<u32>(list, 4);
    const size: usize = word & ~PIECE_OF_TEXT;
    const from: usize = load<u32>(list) + (word == size ? source : text);
    v128.store(out, v128.load(from));
    v128.store(out, v128.load(from, 16), 16);
    for (let at: usize = 32; at < size; at += 16) v128.store(out + at, v128.load(from + at));
    out += size;
  }
  return out;
}
