import {
  ACCEPTED,
  type EndpointStatus,
  failed,
  type MessageBatch,
  type MqbError,
  type OpenContext,
  type Outcome,
  type Publisher,
  type Shared,
} from "@mqb/core/plugin";
import type { Connection } from "../client/connection.ts";
import { errors } from "../errors.ts";
import type { Frame } from "../wire/frame.ts";
import { FrameWriter } from "../wire/frames.ts";
import { WithheldMetadata } from "../wire/withheld.ts";
import { AbortWatch } from "./abort-watch.ts";
import { publisherStatus } from "./answering-publisher.ts";
import { judgeAck } from "./publish-ack.ts";

/** How long an orderly end waits for what a stream has not said yet. */
const LATE_MS = 5000;

export interface FlushingSettings {
  readonly subject: string;
  readonly deduplicate: boolean;
  /** Of a stream whose acknowledgements nobody waits for: where they go, so that refusals are seen. */
  readonly inbox?: string;
}

/** Sends without waiting for answers: a batch is sent when the server has read it. */
export class FlushingPublisher implements Publisher {
  private readonly held: Shared<Connection>;
  private readonly s: FlushingSettings;
  private readonly context: Pick<OpenContext, "log" | "route" | "clock">;
  private readonly withheld: WithheldMetadata;
  private readonly frames: FrameWriter;
  private readonly stops: (() => void)[] = [];
  private readonly aborts = new AbortWatch<() => void>((stop) => stop());
  private denial: MqbError | undefined;
  /** Sent, and not acknowledged yet. */
  private late = 0;
  private refused = 0;
  private readonly waiters = new Set<() => void>();
  private saidUnanswered = false;
  private closing: Promise<void> | undefined;

  constructor(held: Shared<Connection>, settings: FlushingSettings, context: OpenContext) {
    this.held = held;
    this.s = settings;
    this.context = context;
    this.withheld = new WithheldMetadata(context);
    const connection = held.value;
    this.frames = new FrameWriter({
      subject: settings.subject,
      deduplicate: settings.deduplicate,
      limit: connection.maxPayload,
      write: (commands) => connection.write(commands),
      withheld: this.withheld.note,
    });
    const denied = (error: MqbError, subject: string): void => {
      if (subject === settings.subject) this.denial = error;
    };
    const lost = (): void => this.over("the connection was lost");
    this.stops.push(connection.watch({ lost, denied }));
    if (settings.inbox !== undefined) {
      const { inbox } = settings;
      const refused = (): void => {
        this.denial = errors.NOT_PERMITTED({ target: connection.target, what: `subscribe to ${inbox}` });
      };
      const answers = connection.subscribe(inbox, (answer) => this.heard(answer), refused);
      this.stops.push(() => answers.unsubscribe());
    }
  }

  async send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    const connection = this.held.value;
    if (connection.end) throw connection.end;
    if (this.denial) throw this.denial;
    signal.throwIfAborted();
    const { inbox = "", subject } = this.s;
    let outcomes: Outcome[] | undefined;
    for (let i = 0; i < batch.length; i++) {
      const bytes = this.frames.add(batch, i, inbox);
      if (bytes === 0) continue;
      outcomes ??= new Array<Outcome>(batch.length).fill(ACCEPTED);
      const { target, maxPayload: limit } = connection;
      outcomes[i] = failed(errors.TOO_LARGE({ target, subject, bytes, limit }));
    }
    this.frames.flush();
    const sent = outcomes ? outcomes.filter((outcome) => outcome === ACCEPTED).length : batch.length;
    if (inbox !== "") this.late += sent;
    await this.unlessAborted(connection.flush(), signal);
    // The server complains of what it does not permit before it answers the flush; the driver passes it on a moment later.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.denial) throw this.denial;
    return outcomes;
  }

  async flush(): Promise<void> {
    if (this.late <= 0 || this.closing || this.held.value.end) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        cancel();
        this.waiters.delete(done);
        resolve();
      };
      const cancel = this.context.clock.timer(LATE_MS, () => {
        this.warnUnanswered(`they were waited for for ${LATE_MS} ms`);
        done();
      });
      this.waiters.add(done);
    });
  }

  close(): Promise<void> {
    this.closing ??= (async () => {
      for (const stop of this.stops.splice(0)) stop();
      this.over("the endpoint was closed");
      await this.held.release();
    })();
    return this.closing;
  }

  status(): EndpointStatus {
    const details = this.refused > 0 ? { refused: this.refused } : {};
    return publisherStatus(this.held.value, this.s.subject, this.late, this.withheld.count, details);
  }

  /** What the stream says to a message whose source was acknowledged already. */
  private heard(answer: Frame): void {
    const outcome = judgeAck(answer, this.held.value.target, this.s.subject);
    if (outcome === "foreign") return;
    this.late -= 1;
    if (outcome?.type === "failed") {
      this.refused += 1;
      const { log, route } = this.context;
      log.error(
        `route ${route}: a message is lost, since delayed_ack does not wait: ${(outcome.error as Error).message}`,
        {
          route,
          lost: this.refused,
        },
      );
    }
    if (this.late <= 0) this.letGo();
  }

  /** Nothing will be heard any more. */
  private over(why: string): void {
    if (!this.saidUnanswered) this.warnUnanswered(why);
    this.saidUnanswered = true;
    this.letGo();
  }

  private letGo(): void {
    for (const done of [...this.waiters]) done();
  }

  private warnUnanswered(why: string): void {
    const { late: unanswered } = this;
    if (unanswered <= 0) return;
    const { log, route } = this.context;
    log.warn(
      `route ${route}: ${unanswered} message(s) sent with delayed_ack were not acknowledged and may be lost: ${why}`,
      { route, unanswered },
    );
  }

  private unlessAborted(flushed: Promise<void>, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(errors.GIVEN_UP({ target: this.held.value.target, subject: this.s.subject }));
      this.aborts.add(signal, stop);
      flushed.then(resolve, reject).finally(() => this.aborts.remove(signal, stop));
    });
  }
}
