import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { eventually, FakeClock } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { Heartbeat, movedBytes, type Peer } from "../src/heartbeat.ts";

class SlowPeer implements Peer {
  heard = false;
  readonly unread = false;
  moved = 0;
  isLost = false;

  ping(): void {
    this.moved += 6;
  }

  lost(): void {
    this.isLost = true;
  }
}

describe("a peer that is pinged", () => {
  it("is there as long as bytes go through its connection, and gone when only our pings do", async () => {
    const clock = new FakeClock();
    const heartbeat = new Heartbeat(clock, 1000);
    const peer = new SlowPeer();
    heartbeat.add(peer);
    for (let interval = 0; interval < 5; interval++) {
      peer.moved += 1000;
      await clock.advance(1000);
    }
    expect(peer.isLost).toBe(false);
    await clock.advance(1000);
    expect(peer.isLost).toBe(true);
    heartbeat.remove(peer);
  });
});

describe("what went through a socket", () => {
  it("grows within one long write, as far as the other side reads", async () => {
    const server = createServer((socket) => socket.pause());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const accepted = once(server, "connection");
    const writer = connect(port, "127.0.0.1");
    const [reader] = (await accepted) as [Socket];
    const size = 64 * 1024 * 1024;
    const written = new Promise((resolve) => writer.write(Buffer.alloc(size), resolve));
    const before = await eventually(() => movedBytes(writer), "the first bytes");
    expect(before).toBeLessThan(size);
    reader.resume();
    await written;
    expect(movedBytes(writer)).toBe(size);
    writer.destroy();
    server.close();
  });
});
