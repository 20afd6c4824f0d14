import { describe, expect, it } from "vitest";
import { linesOf } from "./linted.ts";

const routes = (...inputs: string[]) =>
  linesOf(inputs.map((input, index) => `r${index}: {input: ${input}}`).join("\n"));

describe("routes that listen", () => {
  const http = (url: string, rest = "") => `{http: {url: "${url}"${rest}}}`;

  it("share one server, not one path", () => {
    expect(routes(http("0.0.0.0:80", ", path: /a"), http("0.0.0.0:80", ", path: /b"))).toEqual([]);
    expect(routes(http("0.0.0.0:80", ", path: /a"), http("0.0.0.0:80", ", path: /a, method: GET"))).toEqual([]);
    expect(routes(http("0.0.0.0:80", ", path: /a"), http("0.0.0.0:80", ", path: /a"))).toEqual([
      expect.stringMatching(
        /^error MQB_LINT_PORT .* r1\.input\.http\.url: route "r0" already listens on 0\.0\.0\.0:80 \/a; change one of: url, path, method$/,
      ),
    ]);
  });

  it.each([
    ["another kind of endpoint", [http("0.0.0.0:5555"), '{zeromq: {url: "tcp://0.0.0.0:5555", bind: true}}']],
    ["all addresses and one of them", [http("0.0.0.0:80", ", path: /a"), http("127.0.0.1:80", ", path: /b")]],
    ["the same twice", [http("localhost:80"), http("localhost:80")]],
  ])("cannot share an address: %s", (_, inputs) => {
    expect(routes(...inputs)).toEqual([expect.stringMatching(/^error MQB_LINT_PORT /)]);
  });

  it.each([
    ["two ports", [http("0.0.0.0:80"), http("0.0.0.0:81")]],
    ["two addresses", [http("127.0.0.1:80"), http("127.0.0.2:80")]],
    ["any free port", [http("127.0.0.1:0"), http("127.0.0.1:0")]],
    ["one that connects", ['{zeromq: {url: "tcp://h:5555", bind: true}}', '{zeromq: {url: "tcp://h:5555"}}']],
  ])("may have %s", (_, inputs) => {
    expect(routes(...inputs)).toEqual([]);
  });

  it("leave the address of the metrics alone", () => {
    const text = (port: number) => `metrics_addr: 0.0.0.0:9090\nr: {input: ${http(`127.0.0.1:${port}`, ", path: /a")}}`;
    expect(linesOf(text(9090))).toEqual([
      expect.stringMatching(
        / r\.input\.http\.url: metrics_addr already listens on 0\.0\.0\.0:9090, which includes 127\.0\.0\.1:9090; use another port$/,
      ),
    ]);
    expect(linesOf(text(9091))).toEqual([]);
  });

  it("may be called by an output", () => {
    const text = `a: {input: ${http("127.0.0.1:80")}}\nb: {input: {static: x}, output: {http: {url: "http://127.0.0.1:80"}}}`;
    expect(linesOf(text)).toEqual([]);
  });
});

describe("routes that read one source", () => {
  it("use a topic in one way", () => {
    expect(routes("{memory: {topic: t}}", "{memory: {topic: t, subscribe_mode: true}}")).toEqual([
      expect.stringMatching(
        /^error MQB_LINT_MODES .* r1\.input\.memory: "t" of "memory" is read with subscribe_mode by route "r1" and as a queue by route "r0"/,
      ),
    ]);
    expect(routes("{memory: {topic: t}}", "{memory: {topic: t}}")).toEqual([]);
    expect(routes("{memory: {topic: t}}", "{memory: {topic: u, subscribe_mode: true}}")).toEqual([]);
  });

  it("are warned when one takes away what the other reads", () => {
    const lines = routes("{file: {path: a}}", "{file: {path: a, mode: consume, delete: true}}");
    expect(lines).toEqual([
      expect.stringMatching(/^warning MQB_LINT_TAKEN .*read by routes "r1" and "r0", and with delete "r1" takes away/),
    ]);
    expect(routes("{file: {path: a}}", "{file: {path: a}}")).toEqual([]);
  });

  it("are warned when they share one position", () => {
    const reader = (group: string) => `{file: {path: a, mode: group_subscribe, group_id: ${group}}}`;
    expect(routes(reader("g"), reader("g"))).toEqual([
      expect.stringMatching(
        /^warning MQB_LINT_TAKEN .* r1\.input\.file\.group_id: .*with one group_id.*give each a group_id of its own$/,
      ),
    ]);
    expect(routes(reader("g"), reader("h"))).toEqual([]);
  });

  it("are warned when they share one replication slot, whatever their tables and publications are", () => {
    const reader = (table: string, more: string) => `{sqlx: {url: "postgres://u@localhost/d", table: ${table}${more}}}`;
    const slot = (table: string, name: string) => reader(table, `, publication: ${table}_pub, slot_name: ${name}`);
    const shared = /^warning MQB_LINT_TAKEN .* r1\.input\.sqlx\.slot_name: .*with one slot_name/;
    expect(routes(slot("a", "s"), slot("b", "s"))).toEqual([expect.stringMatching(shared)]);
    expect(routes(slot("a", "s"), slot("a", "r"))).toEqual([]);
    // The slot of both is the one that is read where none is named.
    const unnamed = (table: string) => reader(table, ", publication: p");
    expect(routes(unnamed("a"), unnamed("b"))).toEqual([expect.stringMatching(shared)]);
    expect(routes(unnamed("a"), slot("b", "s"))).toEqual([]);
    expect(routes(reader("a", ""), reader("a", ""), unnamed("a"))).toEqual([]);
  });
});
