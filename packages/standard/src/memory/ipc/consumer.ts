import type { Consumer, Delivery, EndpointStatus, OpenContext } from "@mqb/core/plugin";
import { DEFAULT_CAPACITY } from "../capacity.ts";
import { MemoryConsumer } from "../consumer.ts";
import type { IpcAddress } from "./address.ts";
import { Intake } from "./intake.ts";
import { placeToListen, type Surroundings } from "./place.ts";
import { FrameServer } from "./server.ts";

export interface IpcConsumerSettings {
  readonly capacity: number | undefined;
  readonly enableNack: boolean;
}

/** Reads what publishers of other processes send: it is the server, and they connect to it. */
export class IpcConsumer implements Consumer {
  private readonly server: FrameServer;
  private readonly intake: Intake;
  private readonly inner: MemoryConsumer;
  private readonly context: OpenContext;
  private closing: Promise<void> | undefined;

  private constructor(server: FrameServer, intake: Intake, inner: MemoryConsumer, context: OpenContext) {
    this.server = server;
    this.intake = intake;
    this.inner = inner;
    this.context = context;
  }

  static async open(
    address: IpcAddress,
    { capacity = DEFAULT_CAPACITY, enableNack }: IpcConsumerSettings,
    context: OpenContext,
    around?: Surroundings,
  ): Promise<IpcConsumer> {
    const path = await placeToListen(address, around);
    const { route, log, clock } = context;
    // What was not settled when a consumer closed is read by the next one.
    const intake = context.local(`memory ipc ${path}`, () => new Intake(address.url));
    intake.grow(capacity);
    const server = await FrameServer.listen({ path, intake, route, log, clock });
    let told = false;
    const unanswered = (): void => {
      if (told) return;
      told = true;
      log.warn(
        `answers to messages of ${address.url} go nowhere: a socket leads from the publisher to the consumer only`,
        {
          route,
        },
      );
    };
    const inner = new MemoryConsumer(intake, intake, { enableNack, route, log, unanswered });
    return new IpcConsumer(server, intake, inner, context);
  }

  receive(max: number, signal: AbortSignal): Promise<Delivery> {
    return this.inner.receive(max, signal);
  }

  close(): Promise<void> {
    return (this.closing ??= this.shut());
  }

  status(): EndpointStatus {
    const { details, ...status } = this.inner.status();
    const { connected, refused } = this.server;
    return { ...status, details: { ...details, connections: connected, ...(refused > 0 ? { refused } : {}) } };
  }

  private async shut(): Promise<void> {
    await this.inner.close();
    await this.server.close();
    const left = this.intake.length;
    if (left === 0 || this.intake.readers > 0) return;
    const { log, route } = this.context;
    log.warn(
      `${left} message(s) that were read from ${this.intake.name} are not settled: the next route of this process that reads it gets them, and they are lost with the process`,
      { route, left },
    );
  }
}
