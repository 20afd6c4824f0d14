import type { SinkEnd, SourceEnd } from "../pairs/pair.ts";
import type { PrivateServer } from "../servers.ts";
import { NatsClient } from "./nats-client.ts";

const AT_ONCE = 200;
const TRIES = 30;
const PAUSE_MS = 200;

interface StreamState {
  readonly messages: number;
  readonly first_seq: number;
  readonly last_seq: number;
}

interface ConsumerInfo {
  readonly num_pending: number;
  readonly num_ack_pending: number;
}

/** A stream of a private server, filled and read by a client of a few lines. */
export class NatsStream {
  readonly name: string;
  readonly subject: string;
  private readonly server: PrivateServer;

  private constructor(server: PrivateServer, name: string) {
    this.server = server;
    this.name = name;
    this.subject = `${name}.rows`;
  }

  static async create(
    server: PrivateServer,
    name: string,
    retention: "limits" | "workqueue" = "limits",
  ): Promise<NatsStream> {
    const stream = new NatsStream(server, name);
    const config = { name, subjects: [`${name}.>`], storage: "file", retention, max_msgs: -1 };
    await stream.with((client) => client.api(`STREAM.CREATE.${name}`, config));
    return stream;
  }

  readonly source: SourceEnd = {
    append: (rows) =>
      this.with(async (client) => {
        // An id of its own: what is put in again after a lost answer must not be in the stream twice.
        const put = (row: string) => client.request(this.subject, row, `Nats-Msg-Id: ${row.slice(0, 20)}`);
        for (let at = 0; at < rows.length; at += AT_ONCE) {
          for (const answer of await Promise.all(rows.slice(at, at + AT_ONCE).map(put))) {
            const { error } = JSON.parse(String(answer)) as { error?: { description: string } };
            if (error) throw new Error(error.description);
          }
        }
      }),
    isEmpty: () =>
      this.with(async (client) => {
        const { consumers } = (await client.api(`CONSUMER.LIST.${this.name}`)) as { consumers: ConsumerInfo[] };
        return consumers.length > 0 && consumers.every((one) => one.num_pending + one.num_ack_pending === 0);
      }),
  };

  readonly sink: SinkEnd = {
    progress: async () => {
      try {
        return await this.once(async (client) => (await this.state(client)).messages);
      } catch {
        // The server is away for a moment.
        return -1;
      }
    },
    arrivals: () =>
      this.with(async (client) => {
        const { first_seq, last_seq } = await this.state(client);
        const rows: string[] = [];
        for (let from = first_seq; from <= last_seq; from += AT_ONCE) {
          const count = Math.min(AT_ONCE, last_seq - from + 1);
          const got = Array.from({ length: count }, (_, i) =>
            client.api(`STREAM.MSG.GET.${this.name}`, { seq: from + i }),
          );
          for (const { message } of await Promise.all(got)) {
            rows.push(Buffer.from((message as { data?: string }).data ?? "", "base64").toString());
          }
        }
        return rows;
      }),
  };

  private async state(client: NatsClient): Promise<StreamState> {
    return (await client.api(`STREAM.INFO.${this.name}`))["state"] as StreamState;
  }

  /** Tries until the server answers: it may be on its way back. */
  private async with<T>(work: (client: NatsClient) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.once(work);
      } catch (error) {
        if (tries >= TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  }

  private async once<T>(work: (client: NatsClient) => Promise<T>): Promise<T> {
    const client = await NatsClient.connect(this.server.address);
    try {
      return await work(client);
    } finally {
      client.close();
    }
  }
}
