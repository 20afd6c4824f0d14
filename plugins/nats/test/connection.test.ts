import { EventEmitter } from "node:events";
import { isPending, within } from "@mqb/testkit";
import type { NatsConnection } from "nats";
import { describe, expect, it } from "vitest";
import { Connection } from "../src/client/connection.ts";
import type { DriverParser } from "../src/client/driver.ts";

/** The driver, as it behaves when a connection ends: what waits for an answer to its flush waits for ever. */
class Driver {
  readonly socket = Object.assign(new EventEmitter(), {
    writableLength: 0,
    destroyed: false,
    destroy(): void {
      this.destroyed = true;
    },
  });
  readonly connection: Connection;
  private readonly protocol = {
    parser: { parse: () => {}, state: 0 } as DriverParser,
    sendCommand: () => {},
    processMsg: () => {},
    transport: { socket: this.socket },
  };
  end: (cause?: Error) => void = () => {};
  say: (status: { type: string }) => void = () => {};

  constructor() {
    const closed = new Promise<Error | undefined>((resolve) => (this.end = resolve));
    const said = new Promise<{ type: string }>((resolve) => (this.say = resolve));
    const driver = {
      protocol: this.protocol,
      closed: () => closed,
      flush: () => new Promise<void>(() => {}),
      close: () => Promise.resolve(),
      subscribe: () => ({ getID: () => 1, closed: new Promise(() => {}) }),
      async *status() {
        yield await said;
      },
    };
    this.connection = new Connection(driver as unknown as NatsConnection, "test:4222");
  }

  /** Bytes that the server sends. */
  hear(text: string): void {
    this.protocol.parser.parse(Buffer.from(text));
  }
}

const LOST = { code: "MQB_NATS_LOST", kind: "connection" };

describe("a flush under way", () => {
  it("fails as the lost connection when it ends", async () => {
    const driver = new Driver();
    const flushed = driver.connection.flush();
    expect(await isPending(flushed)).toBe(true);
    driver.end(new Error("cut"));
    await expect(within(flushed, "the end of the flush")).rejects.toMatchObject(LOST);
  });

  it("fails when the connection is closed", async () => {
    const driver = new Driver();
    const flushed = driver.connection.flush();
    flushed.catch(() => {});
    await driver.connection.close();
    await expect(within(flushed, "the end of the flush")).rejects.toMatchObject({ code: "MQB_NATS_CLOSED" });
  });
});

describe("a connection", () => {
  it("ends at once, with its socket, when the driver finds that the server is silent", async () => {
    const driver = new Driver();
    const lost = new Promise((resolve) => driver.connection.watch({ lost: resolve }));
    driver.say({ type: "staleConnection" });
    expect(await within(lost, "the end")).toMatchObject(LOST);
    expect(driver.socket.destroyed).toBe(true);
  });

  it("ends when a message cannot be read", async () => {
    const driver = new Driver();
    const lost = new Promise((resolve) => driver.connection.watch({ lost: resolve }));
    const odd = (): never => {
      throw new RangeError("odd");
    };
    driver.connection.subscribe("s", odd, () => {});
    driver.hear("MSG s 1 2\r\nhi\r\n");
    expect(await within(lost, "the end")).toMatchObject({ ...LOST, message: expect.stringContaining("odd") });
  });

  it("ends when the server says what it cannot say", async () => {
    const driver = new Driver();
    const lost = new Promise((resolve) => driver.connection.watch({ lost: resolve }));
    driver.hear("MSG s one 2\r\nhi\r\n");
    expect(await within(lost, "the end")).toMatchObject({
      ...LOST,
      message: expect.stringContaining("no message begins at byte 0"),
    });
    expect(driver.socket.destroyed).toBe(true);
  });
});
