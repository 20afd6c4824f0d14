import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import {
  batchOf,
  type Consumer,
  type Delivery,
  type Disposition,
  type EndpointStatus,
  type MqbError,
  type OpenContext,
  type Shared,
} from "@mqb/core/plugin";
import type { WebSocketServer } from "ws";
import { addressText, type ListenAddress, listenAddress } from "../address.ts";
import { websocketErrors } from "../errors.ts";
import { Heartbeat } from "../heartbeat.ts";
import { BasicAuth } from "../listener/basic-auth.ts";
import type { Listener, Site } from "../listener/listener.ts";
import { refuse } from "../listener/refusal.ts";
import { shareListener } from "../listener/share.ts";
import type { WebSocketSettings } from "../schema.ts";
import { Client } from "./client.ts";
import { Handshake } from "./handshake.ts";
import { Intake, type Taken } from "./intake.ts";

/** How long clients have to answer the close of the source. */
const LEAVE_MS = 1_000;
const GOING_AWAY = 1001;
/** What the route keeps of the input over reconnects. */
const INTAKE = "websocket intake";
/** After so many returns in a row messages go behind the others, so that they cannot hold them up for ever. */
const RETURNS_TO_FRONT = 3;
const NOTHING: Delivery = { batch: batchOf([]), commit: async () => {} };

/** Listens, and reads what clients send. */
export async function openConsumer(settings: WebSocketSettings, context: OpenContext): Promise<Consumer> {
  const { WebSocketServer } = await import("ws");
  const address = listenAddress(settings.url);
  const path = pathOf(settings);
  if (address.plain && settings.tls?.required) {
    const reason = "tls.required is set, and ws:// is not TLS";
    throw websocketErrors.ADDRESS({ url: settings.url, reason }, { hint: "write wss://" });
  }
  const listener = await listenerOf(address, settings, context);
  const upgrades = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: settings.max_message_bytes,
  });
  const consumer = new WebSocketConsumer(listener, upgrades, { settings, path, context });
  try {
    listener.value.add(path, consumer);
  } catch (error) {
    await listener.release();
    throw error;
  }
  return consumer;
}

/** An address that the route has listened on may be away for a while: of an interface that is down, say. */
async function listenerOf(
  address: ListenAddress,
  settings: WebSocketSettings,
  context: OpenContext,
): Promise<Shared<Listener>> {
  try {
    return await shareListener(address, settings, context);
  } catch (cause) {
    const { code } = websocketErrors.LISTEN_NEVER({ address: "", reason: "" });
    if ((cause as MqbError).code !== code || !context.session.has(INTAKE)) throw cause;
    throw websocketErrors.LISTEN({ address: addressText(address), reason: "the address is away" }, { cause });
  }
}

/** The path of the source, with the slash that each has. */
export function pathOf({ url, path }: Pick<WebSocketSettings, "url" | "path">): string | undefined {
  const written = path == null || path === "" ? listenAddress(url).path : path;
  return written === undefined || written.startsWith("/") ? written : `/${written}`;
}

interface Setup {
  readonly settings: WebSocketSettings;
  readonly path: string | undefined;
  readonly context: OpenContext;
}

class WebSocketConsumer implements Consumer, Site {
  private readonly listener: Shared<Listener>;
  private readonly upgrades: WebSocketServer;
  private readonly setup: Setup;
  private readonly intake: Intake;
  private readonly auth: BasicAuth;
  private readonly heartbeat: Heartbeat;
  private readonly clients = new Set<Client>();
  private readonly address: string;
  /** Handed out and not settled, in order. */
  private readonly outstanding = new Set<Taken>();
  private refused = 0;
  /** Answers to clients that were gone. */
  private unanswered = 0;
  private told = false;
  private everyoneLeft: (() => void) | undefined;
  private closing: Promise<void> | undefined;

  constructor(listener: Shared<Listener>, upgrades: WebSocketServer, setup: Setup) {
    const { settings, context } = setup;
    this.listener = listener;
    this.upgrades = upgrades;
    this.setup = setup;
    this.address = listener.value.address;
    this.auth = new BasicAuth(settings.basic_auth);
    this.heartbeat = new Heartbeat(context.clock, settings.ping_interval_ms);
    const before = context.session.get(INTAKE) as Intake | undefined;
    this.intake = before ?? new Intake(settings.routed_queue_capacity);
    context.session.set(INTAKE, this.intake);
  }

  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    if (this.closing) throw websocketErrors.CLOSED({ target: this.address });
    await this.intake.wait(signal);
    const taken = this.closing || signal.aborted ? undefined : this.intake.take(max);
    if (!taken) return NOTHING;
    this.outstanding.add(taken);
    return { batch: batchOf(taken.messages), commit: (dispositions) => this.settle(taken, dispositions) };
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { settings } = this.setup;
    const verdict = this.auth.judge(request.headers.authorization);
    const isFull = settings.max_connections != null && this.clients.size >= settings.max_connections;
    if (verdict === "welcome" && !isFull && !this.closing) {
      this.upgrades.handleUpgrade(request, socket, head, (accepted) => {
        const handshake = new Handshake(request, settings.message_id_header);
        const correlated = settings.execution_mode === "direct_only";
        const onClose = (left: Client): void => this.left(left);
        const client = new Client(accepted, socket, { handshake, intake: this.intake, correlated, onClose });
        this.clients.add(client);
        this.heartbeat.add(client);
      });
      return;
    }
    this.refused += 1;
    if (verdict === "unknown") {
      const realm = 'WWW-Authenticate: Basic realm="mqb", charset="UTF-8"';
      refuse(socket, 401, "a user and a password are needed\n", [realm]);
    } else if (verdict === "malformed") {
      refuse(socket, 400, "the authorization header cannot be read\n");
    } else {
      refuse(socket, 503, isFull ? "too many connections\n" : "closing\n", ["Retry-After: 5"]);
    }
  }

  close(): Promise<void> {
    return (this.closing ??= this.shut());
  }

  status(): EndpointStatus {
    const { refused, unanswered } = this;
    return {
      healthy: !this.closing,
      target: `${this.address}${this.setup.path ?? ""}`,
      pending: this.intake.length,
      capacity: this.setup.settings.routed_queue_capacity,
      details: {
        mode: this.setup.settings.execution_mode,
        bound_addr: this.address,
        connections: this.clients.size,
        ...(refused > 0 ? { refused } : {}),
        ...(unanswered > 0 ? { unanswered } : {}),
      },
    };
  }

  private async settle(taken: Taken, dispositions: readonly Disposition[] | undefined): Promise<void> {
    if (!this.outstanding.delete(taken)) throw websocketErrors.CLOSED({ target: this.address });
    const { messages } = taken;
    if (dispositions && dispositions.length !== messages.length) {
      throw new TypeError(`${dispositions.length} dispositions for a batch of ${messages.length}`);
    }
    if (dispositions) this.settleEach(taken, dispositions);
    const answers = dispositions?.every(({ type }) => type !== "ack") ?? messages.length === 0;
    if (!answers && this.setup.settings.execution_mode === "direct_only") this.tellNoAnswer();
  }

  private settleEach({ messages, clients, returns }: Taken, dispositions: readonly Disposition[]): void {
    const nacked: Taken = { messages: [], clients: [], returns: returns + 1 };
    const answered = new Set<Client>();
    for (let i = 0; i < messages.length; i++) {
      const disposition = dispositions[i]!;
      const client = clients[i]!;
      if (disposition.type === "reply") {
        if (!answered.has(client)) client.cork();
        answered.add(client);
        if (!client.answer(disposition.message)) this.unanswered += 1;
      } else if (disposition.type === "nack") {
        nacked.messages.push(messages[i]!);
        nacked.clients.push(client);
      }
    }
    for (const client of answered) client.uncork();
    this.intake.restore(nacked, nacked.returns < RETURNS_TO_FRONT ? "front" : "back");
  }

  private tellNoAnswer(): void {
    if (this.told) return;
    this.told = true;
    const text = "with `execution_mode: direct_only` clients wait for answers, and the output of the route gives none";
    this.setup.context.log.warn(text, { route: this.setup.context.route });
  }

  private left(client: Client): void {
    this.clients.delete(client);
    this.heartbeat.remove(client);
    if (this.clients.size === 0) this.everyoneLeft?.();
  }

  private async shut(): Promise<void> {
    this.listener.value.remove(this.setup.path);
    this.giveBack();
    this.intake.stop();
    for (const client of this.clients) client.close(GOING_AWAY, "the route is closed");
    if (this.clients.size > 0) await this.farewell();
    await this.listener.release();
    const left = this.intake.length;
    if (left === 0) return;
    const text = `${left} message(s) that clients of ${this.address} have sent are not settled: they are read when the route reconnects, and lost when it ends`;
    this.setup.context.log.warn(text, { route: this.setup.context.route, left });
  }

  /** What was handed out and not settled comes first when the route opens its source again. */
  private giveBack(): void {
    for (const { messages, clients, returns } of [...this.outstanding].reverse()) {
      // The batches that were handed out must not grow with what comes behind them.
      this.intake.restore({ messages: [...messages], clients: [...clients], returns }, "front");
    }
    this.outstanding.clear();
  }

  /** Waits until every client has closed its side, but not for long. */
  private async farewell(): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = this.setup.context.clock.timer(LEAVE_MS, () => {
        for (const client of this.clients) client.lost();
      });
      this.everyoneLeft = () => {
        cancel();
        resolve();
      };
    });
  }
}

/** The address as the configuration names it, for probes. */
export function siteText(settings: Pick<WebSocketSettings, "url" | "path">): string {
  return `${addressText(listenAddress(settings.url))}${pathOf(settings) ?? ""}`;
}
