const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * A JSON document without the blanks between its tokens, every other byte as it is: a message must stay one line. The
 * same bytes when it has none.
 */
export function withoutBlanks(json: Uint8Array): Uint8Array {
  let from = 0;
  while (from < json.length && !isBlank(json[from]!)) from = behindToken(json, from);
  if (from >= json.length) return json;
  const out = new Uint8Array(json.length);
  out.set(json.subarray(0, from));
  let to = from;
  for (let at = from; at < json.length; ) {
    if (isBlank(json[at]!)) {
      at++;
      continue;
    }
    const end = behindToken(json, at);
    while (at < end) out[to++] = json[at++]!;
  }
  return out.subarray(0, to);
}

/** The position behind a string, or behind one byte of anything else. */
function behindToken(json: Uint8Array, at: number): number {
  if (json[at] !== QUOTE) return at + 1;
  let end = at + 1;
  while (json[end] !== QUOTE) end += json[end] === BACKSLASH ? 2 : 1;
  return end + 1;
}

function isBlank(byte: number): boolean {
  return byte === 32 || byte === 10 || byte === 13 || byte === 9;
}
