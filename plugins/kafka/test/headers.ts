import type { Metadata } from "@mqb/core/plugin";
import { ChunkBuilder } from "../src/wire/chunk.ts";
import { RecordFields } from "../src/wire/fields.ts";
import { RecordWriter } from "../src/wire/record-writer.ts";

export type Header = readonly [name: string, value: Buffer | null];

/** The metadata of a record with these headers. */
export function metadataOf(headers: readonly Header[]): Metadata {
  const parts = headers.map(([name, value]) => Buffer.concat([counted(Buffer.from(name)), counted(value)]));
  const bytes = Buffer.concat([varint(headers.length), ...parts]);
  const builder = new ChunkBuilder(1);
  builder.add(0, -1, 0, 0, 0, 0);
  return new RecordFields(builder.build(bytes, 1), 0, { topic: "t", partition: 0, stamps: false }).metadata(0);
}

/** The headers of the record that a message with this metadata becomes, without that of the id. */
export function headersOf(metadata: Metadata): Header[] {
  const writer = new RecordWriter();
  writer.message(new Uint8Array(16), 0, null, Buffer.of(), metadata);
  const bytes = writer.written();
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 127) * factor;
      if (byte < 128) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
  };
  const part = (): Buffer | null => {
    const size = number();
    if (size < 0) return null;
    at += size;
    return Buffer.from(bytes.subarray(at - size, at));
  };
  number();
  at += 2;
  number();
  part();
  part();
  const headers = Array.from({ length: number() }, (): Header => [part()!.toString(), part()]);
  if (at !== bytes.length) throw new Error(`${bytes.length - at} bytes stand behind the record`);
  return headers.slice(1);
}

function counted(bytes: Buffer | null): Buffer {
  return bytes === null ? Buffer.of(1) : Buffer.concat([varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value * 2;
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left & 127) | 128);
  return Buffer.from([...bytes, left]);
}
