import type { Clock } from "@mqb/core/plugin";
import type { Dump } from "../../client/dump.ts";
import type { MysqlPool } from "../../client/pool.ts";
import type { Session } from "../../client/session.ts";

const COM_BINLOG_DUMP = 0x12;
/** Of a sink that is slow; the server's own is a minute. */
const WRITE_TIMEOUT_S = 31_536_000;

export interface BinlogHost {
  /** An event lies in `bytes[at .. end)`, during the call. */
  event(bytes: Buffer, at: number, end: number): void;
  /** It is over. */
  lost(error: unknown): void;
}

export interface BinlogSetup {
  readonly pool: MysqlPool;
  readonly file: string;
  readonly byte: number;
  readonly serverId: number;
  readonly heartbeatMs: number;
  readonly signal: AbortSignal;
}

/** The server sends its log, on a connection of its own. */
export class Binlog {
  /** When something was heard last, on the monotonic clock. */
  heard: number;
  private readonly clock: Clock;
  private readonly host: BinlogHost;
  private session: Session | undefined;
  private dump: Dump | undefined;
  private isPaused = false;
  private isOver = false;
  private started: { resolve(): void; reject(error: unknown): void } | undefined;
  private done: () => void = () => {};
  private running: Promise<void> = Promise.resolve();

  constructor(clock: Clock, host: BinlogHost) {
    this.clock = clock;
    this.host = host;
    this.heard = clock.monotonic();
  }

  /** Resolves when the server has begun to send. Rejects with what the driver or the server says. Called once. */
  async start(setup: BinlogSetup): Promise<void> {
    const stop = (): void => this.close();
    const begun = new Promise<void>((resolve, reject) => {
      this.started = { resolve, reject };
    });
    this.running = setup.pool.use((session) => this.run(session, setup)).catch((error) => this.over(error));
    setup.signal.addEventListener("abort", stop, { once: true });
    try {
      await begun;
    } finally {
      setup.signal.removeEventListener("abort", stop);
      this.started = undefined;
    }
  }

  pause(): void {
    if (this.isPaused || this.isOver) return;
    this.isPaused = true;
    this.dump?.pause();
  }

  resume(): void {
    if (!this.isPaused || this.isOver) return;
    this.isPaused = false;
    // What came meanwhile lies with the system: it could not be heard.
    this.heard = this.clock.monotonic();
    this.dump?.resume();
  }

  get listens(): boolean {
    return !this.isPaused;
  }

  close(): void {
    this.isOver = true;
    this.started?.reject(new Error("the stream was given up"));
    this.session?.destroy();
    this.done();
  }

  /** The connection is gone. */
  ended(): Promise<void> {
    return this.running;
  }

  private async run(session: Session, setup: BinlogSetup): Promise<void> {
    this.session = session;
    const { heartbeatMs } = setup;
    await session.query(
      `SET @master_binlog_checksum = @@GLOBAL.binlog_checksum, @source_binlog_checksum = @@GLOBAL.binlog_checksum, @mariadb_slave_capability = 4, @master_heartbeat_period = ${heartbeatMs}000000, @source_heartbeat_period = ${heartbeatMs}000000, @@SESSION.net_write_timeout = ${WRITE_TIMEOUT_S}`,
    );
    if (this.isOver) return;
    const over = new Promise<void>((resolve) => {
      this.done = resolve;
    });
    const dump = session.dump(commandOf(setup), {
      // A byte before each event says that it is none of an error.
      packet: (bytes, at, end) => this.packet(bytes, at + 1, end),
      ended: (error) => this.over(error),
    });
    this.dump = dump;
    await over;
    // It is good for nothing else.
    session.lost ??= new Error("its stream has ended");
  }

  private packet(bytes: Buffer, at: number, end: number): void {
    this.heard = this.clock.monotonic();
    if (this.isOver) return;
    this.started?.resolve();
    this.host.event(bytes, at, end);
  }

  private over(error: unknown): void {
    this.done();
    if (this.isOver) return;
    this.isOver = true;
    if (this.started) this.started.reject(error);
    else this.host.lost(error);
  }
}

function commandOf({ file, byte, serverId }: BinlogSetup): Buffer {
  const name = Buffer.from(file);
  const command = Buffer.alloc(11 + name.length);
  command[0] = COM_BINLOG_DUMP;
  command.writeUInt32LE(byte, 1);
  command.writeUInt32LE(serverId, 7);
  name.copy(command, 11);
  return command;
}
