import { type Clock, kindOf, sleep } from "@mqb/core/plugin";
import type { TlsConfig } from "@mqb/tls";
import { CODE, nameOf, refusal } from "../classify.ts";
import type { Driver } from "../driver/driver.ts";
import { kafkaErrors } from "../errors.ts";
import { BrokerConnection } from "./broker.ts";
import { type BrokerAddress, type ConnectionSettings, describeBroker } from "./settings.ts";

export interface TopicInfo {
  /** An error code of the protocol; 0 = fine. */
  readonly error: number;
  /** The leader of each partition by number; -1 = none at the moment. */
  readonly leaders: readonly number[];
}

/** Of what is asked for the first time in a cluster, or after a restart of one, the coordinator is not there at once. */
const COORDINATOR_PAUSE_MS = 200;
const COORDINATOR_TRIES = 50;

interface MetadataAnswer {
  readonly brokers: readonly { readonly nodeId: number; readonly host: string; readonly port: number }[];
  readonly controllerId: number;
  readonly clusterId?: string;
  readonly topicMetadata: readonly {
    readonly topic: string;
    readonly topicErrorCode: number;
    readonly partitionMetadata: readonly { readonly partitionId: number; readonly leader: number }[];
  }[];
}

export interface ClientOptions {
  readonly driver: Driver;
  readonly settings: ConnectionSettings;
  readonly tlsConfig?: TlsConfig | undefined;
  readonly clock: Clock;
}

/**
 * The brokers of a cluster: who they are, who leads which partition, and connections to them. Connections are kept by broker
 * and purpose, and made anew when they were lost.
 */
export class KafkaClient {
  readonly settings: ConnectionSettings;
  readonly clock: Clock;
  private readonly options: ClientOptions;
  private readonly closing = new AbortController();
  private readonly connections = new Map<string, Promise<BrokerConnection>>();
  private brokers = new Map<number, BrokerAddress>();
  private controllerId = -1;
  /** Known after the first look at topics. */
  clusterId: string | undefined;
  private nextBootstrap = 0;

  constructor(options: ClientOptions) {
    this.options = options;
    this.settings = options.settings;
    this.clock = options.clock;
  }

  get target(): string {
    return this.settings.brokers.map(describeBroker).join(",");
  }

  /** Who leads the partitions of these topics now. */
  async topics(names: readonly string[]): Promise<ReadonlyMap<string, TopicInfo>> {
    const broker = await this.anyBroker();
    const answer = await broker.request<MetadataAnswer>("Metadata", { topics: names, allowAutoTopicCreation: false });
    this.brokers = new Map(answer.brokers.map(({ nodeId, host, port }) => [nodeId, { host, port }]));
    this.controllerId = answer.controllerId;
    this.clusterId = answer.clusterId;
    return new Map(
      answer.topicMetadata.map(({ topic, topicErrorCode, partitionMetadata }) => {
        const leaders: number[] = new Array(partitionMetadata.length).fill(-1);
        for (const { partitionId, leader } of partitionMetadata) leaders[partitionId] = leader;
        return [topic, { error: topicErrorCode, leaders }];
      }),
    );
  }

  /** A connection to a broker for one purpose: `produce`, `fetch`, `group`, … `inFlight` counts when it is made. */
  broker(nodeId: number, purpose: string, inFlight?: number): Promise<BrokerConnection> {
    const address = this.brokers.get(nodeId);
    if (!address) return Promise.reject(kafkaErrors.UNREACHABLE({ target: `broker ${nodeId}`, reason: "unknown" }));
    return this.connectionTo(address, `${purpose} ${describeBroker(address)}`, inFlight);
  }

  /** The broker that makes topics. */
  async controller(): Promise<BrokerConnection> {
    if (!this.brokers.has(this.controllerId)) await this.topics([]);
    return this.broker(this.controllerId, "control");
  }

  /** The broker that looks after a group or a transactional id. */
  async coordinator(of: "group" | "transaction", key: string, signal: AbortSignal): Promise<BrokerConnection> {
    const coordinatorType = of === "group" ? 0 : 1;
    for (let attempt = 1; ; attempt++) {
      const broker = await this.anyBroker();
      const answer = await broker.request<{
        readonly errorCode: number;
        readonly coordinator: { readonly nodeId: number; readonly host: string; readonly port: number };
      }>("GroupCoordinator", { groupId: key, coordinatorType });
      if (answer.errorCode === 0) {
        const { host, port } = answer.coordinator;
        return this.connectionTo({ host, port }, `${of} ${describeBroker({ host, port })}`);
      }
      const what = `the ${of === "group" ? "consumer group" : "transactional id"} "${key}"`;
      const refused = refusal(answer.errorCode, what);
      if (refused) throw refused;
      const waits = [CODE.COORDINATOR_NOT_AVAILABLE, CODE.COORDINATOR_LOAD_IN_PROGRESS] as number[];
      const error = kafkaErrors.NO_COORDINATOR({ of: what, reason: nameOf(answer.errorCode) });
      if (attempt >= COORDINATOR_TRIES || !waits.includes(answer.errorCode)) throw error;
      if (!(await sleep(this.clock, COORDINATOR_PAUSE_MS, signal))) throw error;
    }
  }

  /** Any broker that answers: one that is known, else those of the configuration in turn. */
  async anyBroker(): Promise<BrokerConnection> {
    const { brokers } = this.settings;
    const known = [...this.brokers.values()].filter((one) => !brokers.some((other) => same(one, other)));
    let last: unknown;
    for (let i = 0; i < brokers.length + known.length; i++) {
      const address =
        i < brokers.length ? brokers[(this.nextBootstrap + i) % brokers.length]! : known[i - brokers.length]!;
      try {
        const connection = await this.connectionTo(address, `control ${describeBroker(address)}`);
        if (i < brokers.length) this.nextBootstrap = (this.nextBootstrap + i) % brokers.length;
        return connection;
      } catch (error) {
        // A wrong password is wrong everywhere.
        if (kindOf(error, "connection") === "config") throw error;
        last = error;
      }
    }
    throw last;
  }

  /** Ends every connection at once. Idempotent. */
  close(): void {
    this.closing.abort();
    for (const connection of this.connections.values())
      connection.then(
        (open) => open.close(),
        () => {},
      );
    this.connections.clear();
  }

  private async connectionTo(address: BrokerAddress, key: string, inFlight?: number): Promise<BrokerConnection> {
    const before = this.connections.get(key);
    if (before) {
      const connection = await before;
      if (!connection.isLost) return connection;
      if (this.connections.get(key) !== before) return this.connectionTo(address, key, inFlight);
    }
    if (this.closing.signal.aborted) throw kafkaErrors.CLOSED({ what: "client" });
    const { driver, settings, tlsConfig } = this.options;
    const options = { driver, settings, tlsConfig, ...(inFlight === undefined ? {} : { inFlight }) };
    const opening = BrokerConnection.open(address, options, this.closing.signal);
    this.connections.set(key, opening);
    opening.catch(() => {
      if (this.connections.get(key) === opening) this.connections.delete(key);
    });
    return opening;
  }
}

function same(a: BrokerAddress, b: BrokerAddress): boolean {
  return a.host === b.host && a.port === b.port;
}
