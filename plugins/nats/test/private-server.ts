import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { TempDir, within } from "@mqb/testkit";

const CACHE = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
const BINARY = process.env["MQB_TEST_NATS_SERVER"] ?? join(CACHE, "mqb-services", "nats-server-2.15.3", "nats-server");

/** Whether `scripts/services install nats` has built the server. */
export const hasBinary: boolean = existsSync(BINARY);

/** A server of one test's own, on a free port, with a configuration of its own. */
export class PrivateServer implements AsyncDisposable {
  readonly port: number;
  /** Its folder; what is written there goes with it. */
  readonly dir: string;
  private readonly child: ChildProcess;
  private readonly folder: TempDir;

  private constructor(port: number, child: ChildProcess, folder: TempDir) {
    this.port = port;
    this.child = child;
    this.folder = folder;
    this.dir = folder.path;
  }

  static async start(config: string): Promise<PrivateServer> {
    const folder = await TempDir.make();
    const file = join(folder.path, "nats.conf");
    const store = JSON.stringify(join(folder.path, "js"));
    await writeFile(file, `listen: "127.0.0.1:-1"\n${config.replaceAll("@STORE@", store)}\n`);
    const child = spawn(BINARY, ["-c", file], { stdio: ["ignore", "ignore", "pipe"] });
    let log = "";
    const listening = new Promise<number>((resolve, reject) => {
      child.stderr!.on("data", (chunk: Buffer) => {
        log += chunk.toString();
        const port = /Listening for client connections on 127\.0\.0\.1:(\d+)/.exec(log)?.[1];
        if (port !== undefined && log.includes("Server is ready")) resolve(Number(port));
      });
      child.on("exit", () => reject(new Error(`the server has ended: ${log}`)));
    });
    return new PrivateServer(await within(listening, "the start of the server"), child, folder);
  }

  get url(): string {
    return `nats://localhost:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await ended;
    await this.folder[Symbol.asyncDispose]();
  }
}
