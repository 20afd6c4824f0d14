import { readdirSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli } from "./support/cli.ts";
import { folderPerTest, ROUTE } from "./support/folder.ts";

beforeAll(buildCli);
const folder = folderPerTest();

const ORDERS = `routes:
  orders:
    description: all orders
    input: { file: { path: in.jsonl }, middlewares: [{ delay: { delay_ms: 1 } }, { metrics: {} }] }
    output:
      file: { path: out.jsonl }
      middlewares:
        - retry: {}
        - dlq: { endpoint: { file: { path: rejected.jsonl } } }
  ticks: { input: { memory: { topic: ticks } }, concurrency: 3, exit_on_empty: true }
`;

describe("mqb explain", () => {
  it("tells the road of a message in the order in which it is touched", async () => {
    folder.write("config.yml", ORDERS);
    const { code, stdout } = await folder.mqb(["explain", "orders", "--json"]);
    expect(code).toBe(0);
    const [route] = JSON.parse(stdout).routes;
    expect(route.road.map((step: { path: string }) => step.path)).toEqual([
      "input.file",
      "input.middlewares[1].metrics",
      "input.middlewares[0].delay",
      "output.middlewares[1].dlq",
      "output.middlewares[1].dlq.endpoint.file",
      "output.middlewares[0].retry",
      "output.file",
    ]);
    expect(route.guarantee).toEqual({
      level: "at_least_once",
      reason: 'the output "file" may write a repeated message twice',
      required: null,
    });
    expect(readdirSync(folder.path)).toEqual(["config.yml"]);
  });

  it("says what can be duplicated and lost, and what drain, stop and reconnect do, as the ends declare it", async () => {
    folder.write("config.yml", ORDERS);
    const { stdout } = await folder.mqb(["explain"]);
    const [orders = "", ticks = ""] = stdout.split("route ticks");
    expect(orders).toMatch(/^route orders: all orders\n/);
    expect(orders).toContain('What "file" refuses comes back through retry, then dlq.');
    expect(orders).toContain('`dlq` sends it to "file"');
    expect(orders).toContain("goes back to the source");
    expect(orders).toContain("it comes again and is written again");
    expect(ticks).toContain("at_most_once");
    expect(ticks).toContain('the input "memory" gives no message a second time');
    expect(ticks).toContain("without `dlq` it is logged, counted and dropped");
    expect(ticks).toContain("This route drains: it ends when the input");
    expect(ticks).toContain("A batch may overtake an older one");
  });

  it("names what identifies an endpoint, and no secret", async () => {
    folder.write("config.yml", ROUTE.replace("in.jsonl", '"db://u:geheim-1@h/in.jsonl"'));
    const { stdout } = await folder.mqb(["explain"]);
    expect(stdout).toContain("(path: out.jsonl)");
    expect(stdout).toContain("***");
    expect(stdout).not.toContain("geheim");
  });

  it("refuses a route that is not there with the nearest name, and explains none that cannot start", async () => {
    folder.write("config.yml", ORDERS);
    const unknown = await folder.mqb(["explain", "order"]);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('did you mean "orders"?')]);
    folder.write("config.yml", ORDERS.replace("retry: {}", "retry: { attempts: 3 }"));
    const wrong = await folder.mqb(["explain"]);
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toMatch(/route orders\n\n {2}It cannot start:\n.*"attempts"/);
    expect(wrong.stdout).toContain("route ticks");
  });
});
