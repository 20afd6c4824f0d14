import type { Connection } from "mysql2";

/** Takes rows of the text protocol: `bytes[at .. end)` holds each value behind its length. Valid during the call. */
export interface RowSink {
  row(bytes: Buffer, at: number, end: number): void;
}

/** The part of a packet and of a running query of mysql2 3.24 that is used here; the version is pinned. */
interface Packet {
  readonly buffer: Buffer;
  readonly offset: number;
  readonly end: number;
  isEOF(): boolean;
}
interface RunningQuery {
  row: (this: RunningQuery, packet: Packet, connection: unknown) => unknown;
}

/** Runs a query and hands its rows over as they came. mysql2 would make a string of each value first. */
export function encodeRows(connection: Connection, sql: string, sink: RowSink): Promise<void> {
  return new Promise((resolve, reject) => {
    const query = connection.query({ sql, values: null, rowsAsArray: true }, (error) =>
      error ? reject(error) : resolve(),
    ) as unknown as RunningQuery;
    const { row: next } = query;
    query.row = function row(packet, owner) {
      if (packet.isEOF()) return next.call(this, packet, owner);
      sink.row(packet.buffer, packet.offset, packet.end);
      return row;
    };
  });
}
