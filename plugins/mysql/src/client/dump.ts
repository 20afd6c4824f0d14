import type { Connection } from "mysql2";

/** Takes the packets of an answer without an end. `bytes[at .. end)` is valid during the call. */
export interface PacketSink {
  packet(bytes: Buffer, at: number, end: number): void;
  /** Nothing comes any more. Called once. */
  ended(error: unknown): void;
}

/** Such an answer, as it comes. */
export interface Dump {
  /** Nothing is handed over, and soon nothing is read, until `resume`. May be called while a packet is handed over. */
  pause(): void;
  resume(): void;
}

/** The part of a packet and of a connection of mysql2 3.24 that is used here; the version is pinned. */
interface Packet {
  readonly buffer: Buffer;
  readonly offset: number;
  readonly end: number;
  isError(): boolean;
  isEOF(): boolean;
  asError(encoding: string): Error;
}
interface Owner {
  write(bytes: Buffer): void;
  _resetSequenceId(): void;
  _bumpSequenceId(packets: number): void;
  addCommand(command: {
    execute(packet: Packet | undefined, owner: Owner): boolean;
    onResult(error: unknown): void;
  }): void;
  pause(): void;
  resume(): void;
}

/**
 * Sends a command whose answer is packets without end. mysql2 has one for the binary log, which sends no file name and
 * gives no rows.
 */
export function startDump(connection: Connection, command: Buffer, sink: PacketSink): Dump {
  const owner = connection as unknown as Owner;
  let isOver = false;
  const end = (error: unknown): void => {
    if (isOver) return;
    isOver = true;
    sink.ended(error);
  };
  owner.addCommand({
    execute(packet, own) {
      if (!packet) {
        const head = Buffer.alloc(4);
        head.writeUIntLE(command.length, 0, 3);
        own._resetSequenceId();
        own.write(Buffer.concat([head, command]));
        own._bumpSequenceId(1);
        return false;
      }
      if (packet.isError()) end(packet.asError("utf8"));
      else if (packet.isEOF()) end(new Error("the server has ended the stream"));
      else sink.packet(packet.buffer, packet.offset, packet.end);
      return isOver;
    },
    onResult: end,
  });
  return { pause: () => owner.pause(), resume: () => owner.resume() };
}
