import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Address, type Random, randomFrom } from "@mqb/testkit";
import type { SinkEnd } from "../pairs/pair.ts";

/** What it does instead of an answer of success, and how often. */
const MOODS = [
  ["busy", 0.02],
  ["broken", 0.02],
  ["resets before", 0.005],
  ["resets after", 0.005],
  ["hangs after", 0.001],
] as const;

type Mood = (typeof MOODS)[number][0];

/**
 * An HTTP server that keeps what it is sent, and answers 429, 500, with a reset or not at all now and then; with a reset
 * and with silence also after it has kept the row, which the sender cannot know.
 */
export class FlakyServer {
  /** Rows that were kept without the sender being told. */
  unanswered = 0;
  private readonly rows: string[] = [];
  private readonly random: Random;
  private readonly server: Server;

  private constructor(seed: number) {
    this.random = randomFrom(seed);
    this.server = createServer((request, response) => void this.take(request, response));
  }

  static async listen(seed: number): Promise<FlakyServer> {
    const flaky = new FlakyServer(seed);
    flaky.server.listen(0, "127.0.0.1");
    await once(flaky.server, "listening");
    return flaky;
  }

  get address(): Address {
    return { host: "127.0.0.1", port: (this.server.address() as AddressInfo).port };
  }

  readonly sink: SinkEnd = {
    progress: async () => this.rows.length,
    arrivals: async () => this.rows,
  };

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    } catch {
      // The sender has gone in the middle of it.
      return;
    }
    const mood = this.mood();
    if (mood === "resets before") return request.socket.resetAndDestroy() as unknown as undefined;
    if (mood === "busy" || mood === "broken") {
      response.writeHead(mood === "busy" ? 429 : 500).end();
      return;
    }
    this.rows.push(Buffer.concat(chunks).toString());
    if (mood === undefined) {
      response.on("close", () => {
        if (!response.writableFinished) this.unanswered++;
      });
      response.writeHead(200).end();
      return;
    }
    this.unanswered++;
    if (mood === "resets after") request.socket.resetAndDestroy();
  }

  private mood(): Mood | undefined {
    let drawn = this.random();
    for (const [mood, share] of MOODS) {
      if (drawn < share) return mood;
      drawn -= share;
    }
    return undefined;
  }
}
