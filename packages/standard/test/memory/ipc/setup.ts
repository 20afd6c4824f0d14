import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import {
  batchOf,
  type Clock,
  type Consumer,
  codeOf,
  type Delivery,
  type Disposition,
  Message,
  type MessageBatch,
  systemClock,
} from "@mqb/core/plugin";
import {
  type FakeContext,
  type FakeContextOverrides,
  FakeScope,
  fakeContext,
  type RecordingLogger,
  TempDir,
} from "@mqb/testkit";
import standard from "../../../src/index.ts";
import { NEVER } from "../../opened.ts";

/** A socket of its own for one test, and the ends at it. Everything that was opened is closed after the test. */
export class Socketed implements AsyncDisposable {
  readonly path: string;
  readonly url: string;
  private readonly dir: TempDir;
  private readonly scope = new FakeScope();
  private readonly opened: { close(): unknown }[] = [];

  private constructor(dir: TempDir) {
    this.dir = dir;
    this.path = dir.file("q.sock");
    this.url = `ipc://${this.path}`;
  }

  static async make(): Promise<Socketed> {
    return new Socketed(await TempDir.make());
  }

  context(overrides: FakeContextOverrides<Clock, RecordingLogger> = {}): FakeContext<Clock> {
    return fakeContext<Clock>({
      plugins: [standard],
      scope: this.scope,
      clock: systemClock,
      ...overrides,
    });
  }

  async consumer(settings: object = {}, context = this.context()) {
    const consumer = await context.openConsumer({ memory: { url: this.url, ...settings } }, "endpoint");
    this.opened.push(consumer);
    return consumer;
  }

  async publisher(context = this.context()) {
    const publisher = await context.openPublisher({ memory: { url: this.url } }, "endpoint");
    this.opened.push(publisher);
    return publisher;
  }

  /** A client that writes what it likes. */
  async client(): Promise<Socket> {
    const socket = connect(this.path);
    socket.on("error", () => {});
    this.opened.push({ close: () => socket.destroy() });
    await once(socket, "connect");
    return socket;
  }

  /** A consumer that accepts connections and reads nothing until `resume`. */
  async deaf(): Promise<{ connections: Socket[]; server: Server }> {
    const connections: Socket[] = [];
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
      socket.on("error", () => {});
      connections.push(socket);
    });
    server.listen(this.path);
    await once(server, "listening");
    this.opened.push({
      close() {
        for (const socket of connections) socket.destroy();
        server.close();
      },
    });
    return { connections, server };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.opened) await end.close();
    await this.dir.remove();
  }
}

/** Receives until there are `count` messages. */
export async function take(
  consumer: Consumer,
  count: number,
  max = 100,
): Promise<{ deliveries: Delivery[]; messages: Message[] }> {
  const deliveries: Delivery[] = [];
  const messages: Message[] = [];
  while (messages.length < count) {
    const delivery = await consumer.receive(max, NEVER);
    deliveries.push(delivery);
    messages.push(...delivery.batch);
  }
  return { deliveries, messages };
}

/** Receives `count` messages and commits them. Gives their texts. */
export async function settle(
  consumer: Consumer,
  count: number,
  decide: (message: Message) => Disposition = () => ({ type: "ack" }),
): Promise<string[]> {
  const { deliveries, messages } = await take(consumer, count);
  for (const delivery of deliveries) await delivery.commit(Array.from(delivery.batch, decide));
  return messages.map((message) => message.text());
}

/** A batch of texts. */
export function text(...list: string[]): MessageBatch {
  return batchOf(list.map((one) => new Message(one)));
}

/** The code that a promise rejects with; undefined when it resolves. */
export async function failure(promise: Promise<unknown>): Promise<string | undefined> {
  return await promise.then(
    () => undefined,
    (error: unknown) => codeOf(error),
  );
}
