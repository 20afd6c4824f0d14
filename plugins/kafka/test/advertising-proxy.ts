import { connect, createServer, type Server, type Socket } from "node:net";
import { CompactReader } from "../src/wire/compact.ts";
import type { Address } from "./server.ts";

const METADATA = 3;
const FIND_COORDINATOR = 10;

/** Numbers of requests. */
export const API = { PRODUCE: 0, FETCH: 1, OFFSET_COMMIT: 8, JOIN_GROUP: 11, HEARTBEAT: 12 } as const;

/** What becomes of an answer that is not to come: the connection stays silent, or is cut. */
export type Swallowing = "silent" | "cut";

/**
 * Stands between a client and a broker, and changes the addresses under which the broker says that it is reached. Behind
 * another proxy, which cuts and stalls, the client comes through that one each time. Counts requests, and swallows answers.
 */
export class AdvertisingProxy {
  readonly address: Address;
  /** How often the broker was asked, by the number of the request. */
  readonly asked = new Map<number, number>();
  private readonly swallowed = new Map<number, { left: number; readonly how: Swallowing }>();
  private port: number;
  private readonly server: Server;

  private constructor(server: Server, address: Address) {
    this.server = server;
    this.address = address;
    this.port = address.port;
  }

  static async to(broker: Address): Promise<AdvertisingProxy> {
    const server = createServer((client) => made.join(client, connect(broker)));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    server.unref();
    const made = new AdvertisingProxy(server, { host: "127.0.0.1", port: (server.address() as { port: number }).port });
    return made;
  }

  /** The port that brokers are said to have. */
  advertise(port: number): void {
    this.port = port;
  }

  /** The broker gets the next `count` requests of a kind; their answers do not come back. */
  swallow(api: number, count: number, how: Swallowing): void {
    this.swallowed.set(api, { left: count, how });
  }

  /** How many answers of a kind are still to be swallowed. */
  leftToSwallow(api: number): number {
    return this.swallowed.get(api)?.left ?? 0;
  }

  close(): void {
    this.server.close();
  }

  private join(client: Socket, broker: Socket): void {
    const asked = new Map<number, { readonly api: number; readonly version: number }>();
    const requests = frames((frame) => {
      const api = frame.readInt16BE(4);
      asked.set(frame.readInt32BE(8), { api, version: frame.readInt16BE(6) });
      this.asked.set(api, (this.asked.get(api) ?? 0) + 1);
      broker.write(frame);
    });
    const answers = frames((frame) => {
      const id = frame.readInt32BE(4);
      const { api, version } = asked.get(id) ?? { api: undefined, version: 0 };
      asked.delete(id);
      if (api === METADATA) (version < 9 ? patchMetadata : patchNewMetadata)(frame, this.port);
      else if (api === FIND_COORDINATOR)
        (version < 3 ? patchCoordinator : patchNewCoordinator)(frame, this.port, version);
      const how = api === undefined ? undefined : this.swallows(api);
      if (how === "cut") client.resetAndDestroy();
      else if (how === undefined) client.write(frame);
    });
    client.on("data", requests);
    broker.on("data", answers);
    for (const [one, other] of [
      [client, broker],
      [broker, client],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
      one.unref();
    }
  }

  private swallows(api: number): Swallowing | undefined {
    const wanted = this.swallowed.get(api);
    if (!wanted || wanted.left === 0) return undefined;
    wanted.left -= 1;
    return wanted.how;
  }
}

/** Cuts what comes into frames: a length of four bytes, then so many. */
function frames(each: (frame: Buffer) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
      const end = 4 + rest.readInt32BE(0);
      each(Buffer.from(rest.subarray(0, end)));
      rest = rest.subarray(end);
    }
  };
}

/** Version 6: correlation, throttle, then the brokers. */
function patchMetadata(frame: Buffer, port: number): void {
  let at = 16;
  for (let left = frame.readInt32BE(12); left > 0; left--) {
    at += 4;
    at += 2 + frame.readInt16BE(at);
    frame.writeInt32BE(port, at);
    at += 4;
    at += 2 + Math.max(0, frame.readInt16BE(at));
  }
}

/** From version 9 on: correlation, tags, throttle, then the brokers, with compact lengths. */
function patchNewMetadata(frame: Buffer, port: number): void {
  const reader = new CompactReader(frame, 13);
  for (let left = reader.uvarint() - 1; left > 0; left--) {
    reader.at += 4;
    reader.text();
    frame.writeInt32BE(port, reader.at);
    reader.at += 4;
    reader.text();
    reader.tags();
  }
}

/** Version 3: one broker behind the error. From version 4 on: a list of them, each with its key before it. */
function patchNewCoordinator(frame: Buffer, port: number, version: number): void {
  const reader = new CompactReader(frame, 13);
  let left = 1;
  if (version > 3) left = reader.uvarint() - 1;
  else {
    reader.at += 2;
    reader.text();
  }
  for (; left > 0; left--) {
    if (version > 3) reader.text();
    reader.at += 4;
    const hasHost = (reader.text() ?? "") !== "";
    if (hasHost) frame.writeInt32BE(port, reader.at);
    reader.at += 4;
    if (version === 3) return;
    reader.at += 2;
    reader.text();
    reader.tags();
  }
}

/** Version 2: correlation, throttle, error, its text, then the one broker. */
function patchCoordinator(frame: Buffer, port: number): void {
  let at = 14;
  at += 2 + Math.max(0, frame.readInt16BE(at));
  at += 4;
  at += 2 + frame.readInt16BE(at);
  if (frame.readInt32BE(at) > 0) frame.writeInt32BE(port, at);
}
