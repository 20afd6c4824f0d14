import { request } from "node:http";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli, type Running, startCli } from "./support/cli.ts";
import { fileHolds } from "./support/files.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const folder = folderPerTest();

const FOLLOW = `routes:
  orders:
    input: { file: { path: in.txt, format: raw, mode: subscribe } }
    output: { file: { path: out.txt, format: raw }, middlewares: [{ metrics: {} }] }
`;

async function running(flags: readonly string[], test: (run: Running, port: number) => Promise<void>): Promise<void> {
  folder.write("in.txt", "");
  folder.write("config.yml", FOLLOW);
  const run = startCli(["run", ...flags], { cwd: folder.path, env: { XDG_RUNTIME_DIR: folder.path } });
  try {
    await run.stderr(/Started/);
    await test(run, portIn(run.text()));
  } finally {
    run.child.kill();
    expect((await run.done).code).toBe(0);
  }
}

const portIn = (text: string): number => Number(/metrics at http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1]);

function get(port: number, path: string, host?: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = host === undefined ? {} : { host };
    request({ port, path, host: "127.0.0.1", headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode!, text }));
    })
      .on("error", reject)
      .end();
  });
}

describe("metrics of a run", () => {
  it("are served while it runs, under the names of the original and ours", async () => {
    await running(["--metrics-addr", "127.0.0.1:0"], async (_, port) => {
      folder.write("in.txt", "a\nb\n");
      await fileHolds(join(folder.path, "out.txt"), "b");
      const { status, text } = await get(port, "/metrics");
      expect(status).toBe(200);
      expect(text).toContain('queue_messages_processed_total{route="orders",endpoint="output"} 2\n');
      expect(text).toContain('mqb_route_received_total{route="orders"} 2\n');
      expect(await get(port, "/health")).toEqual({ status: 200, text: "OK\n" });
      expect((await get(port, "/other")).status).toBe(404);
    });
  });

  it("answer nobody who came under a foreign name", async () => {
    await running(["--metrics-addr", "127.0.0.1:0"], async (_, port) => {
      expect((await get(port, "/metrics", "evil.example")).status).toBe(403);
      expect((await get(port, "/metrics", "localhost:1")).status).toBe(200);
    });
  });

  it.each(["//", "/%", "*", "/metrics?x=1#", "http://[/"])("survive the request for %j", async (target) => {
    await running(["--metrics-addr", "127.0.0.1:0"], async (_, port) => {
      const socket = connect(port, "127.0.0.1");
      socket.write(`GET ${target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
      await new Promise((resolve) => socket.on("close", resolve).resume());
      expect((await get(port, "/health")).status).toBe(200);
    });
  });

  it("that were asked for at an address which is taken end the run before anything starts", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as { port: number };
    folder.write("in.txt", "a\n");
    folder.write("config.yml", `metrics_addr: 127.0.0.1:${port}\n${FOLLOW}`);
    const { code, stderr } = await folder.mqb(["run"]);
    other.close();
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`MQB_CLI_METRICS_ADDRESS.*127\\.0\\.0\\.1:${port} is taken`));
  });

  it.each(["x", "1.2.3.4:99999"])("are not served at %s", async (address) => {
    folder.write("config.yml", FOLLOW);
    const { code, stderr } = await folder.mqb(["run", "--metrics-addr", address]);
    expect(code).toBe(1);
    expect(stderr).toContain(address);
  });
});

describe("mqb status", () => {
  it("shows a run while it lasts, and nothing after it", async () => {
    const env = { XDG_RUNTIME_DIR: folder.path };
    await running(["--no-metrics"], async ({ child }) => {
      const { stdout } = await folder.mqb(["status", "--no-watch"], env);
      expect(stdout).toMatch(new RegExp(`cli config \\[${child.pid}\\] +orders +file -> file +running`));
      const { stdout: json } = await folder.mqb(["status", "--json"], env);
      expect(JSON.parse(json)).toMatchObject([
        { schema_version: 1, routes: [{ label: "orders", summary: { running: true } }] },
      ]);
    });
    expect((await folder.mqb(["status"], env)).stdout).toBe("No running mq-bridge instances.\n");
  });

  it("says when there is no private place for records", async () => {
    const { code, stderr } = await folder.mqb(["status"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("neither XDG_RUNTIME_DIR nor TMPDIR is set")]);
  });

  it("watches until a signal, one line of JSON each time", async () => {
    const watching = startCli(["status", "--watch=0.1", "--json"], {
      cwd: folder.path,
      env: { XDG_RUNTIME_DIR: folder.path },
    });
    await watching.stdout(/^\[\]\n\[\]\n/);
    watching.child.kill();
    expect((await watching.done).code).toBe(0);
  });
});
