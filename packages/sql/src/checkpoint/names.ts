const MASK = (1n << 64n) - 1n;
const LONGEST = 63;

/** The table that keeps the positions of a source, where none is named; two sources never share one by accident. */
export function cursorTable(source: string): string {
  const name = `mqb_cursors_${sanitised(source)}`;
  return sanitised(source) === source ? fitted(name, source) : withHash(name, source);
}

/** A name that every server takes: where it is too long it is cut, with a hash that tells it from others. */
export function fitted(name: string, source = name): string {
  return name.length <= LONGEST ? name : withHash(name, source);
}

function withHash(name: string, source: string): string {
  const hash = fnv64(source);
  return `${name.slice(0, LONGEST - hash.length - 1)}_${hash}`;
}

/** The key of a position: the source's name and the cursor's. */
export function cursorKey(source: string, cursorId: string): string {
  return `${sanitised(source)}:${cursorId}`;
}

function sanitised(source: string): string {
  return source.replace(/[^A-Za-z0-9_]/g, "_");
}

/** FNV-1a of 64 bits over the UTF-8 bytes, in hex. */
function fnv64(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & MASK;
  return hash.toString(16).padStart(16, "0");
}
