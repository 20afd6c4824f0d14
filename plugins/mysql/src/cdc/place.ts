const MOST = 0xffff_ffffn;

/** A place in the binary log as a number that only grows: the file's number, and the byte in it. */
export function placeOf(file: number, byte: number): bigint {
  return (BigInt(file) << 32n) | BigInt(byte);
}

export function fileOf(place: bigint): number {
  return Number(place >> 32n);
}

export function byteOf(place: bigint): number {
  return Number(place & MOST);
}

/** The name of a log file without its number, and the number. Undefined for anything else. */
export function parseFile(name: string): { readonly base: string; readonly number: number } | undefined {
  const [, base, digits] = /^(.+)\.(\d{1,10})$/s.exec(name) ?? [];
  return base === undefined ? undefined : { base, number: Number(digits) };
}

export function fileName(base: string, number: number): string {
  return `${base}.${String(number).padStart(6, "0")}`;
}

/** As people and stores have it: `binlog.000012:3456`. */
export function formatPlace(base: string, place: bigint): string {
  return `${fileName(base, fileOf(place))}:${byteOf(place)}`;
}

/** Undefined for what is none. */
export function parsePlace(text: string): { readonly base: string; readonly place: bigint } | undefined {
  const [, name, digits] = /^(.+):(\d{1,10})$/s.exec(text) ?? [];
  const file = name === undefined ? undefined : parseFile(name);
  const byte = Number(digits);
  // Before 4 there is only the mark of the file.
  if (!file || byte < 4 || byte > Number(MOST)) return undefined;
  return { base: file.base, place: placeOf(file.number, byte) };
}
