import { describe, expect, it } from "vitest";
import { MqbError } from "../../src/errors/mqb-error.ts";
import { fields, middleware, OUTPUT } from "../fakes/plugin.ts";
import { FakePublisher } from "../fakes/publisher.ts";
import { errorsOf } from "./support.ts";

const codes = (errors: readonly string[]): string[] => errors.map((error) => error.slice(0, error.indexOf(":")));
const dlq = middleware({
  schema: fields(["endpoint", "stop_window"]),
  output: (inner) => inner,
  children: (config) => [{ path: "endpoint", side: "output", endpoint: (config as { endpoint: unknown }).endpoint }],
});

describe("every fault of a route is reported at once", () => {
  it("also those of the middlewares of an endpoint that names two types or none", () => {
    const middlewares = [{ bogus: {} }, { retry: { x: 1 } }];
    expect(codes(errorsOf({ output: { memory: { topic: "a" }, file: { path: "b" }, middlewares } }))).toEqual([
      "TWO_ENDPOINTS output",
      "UNKNOWN_MIDDLEWARE output.middlewares[0].bogus",
      "UNKNOWN_FIELD output.middlewares[1].retry.x",
    ]);
    expect(codes(errorsOf({ input: { middlewares: [{ bogus: {} }] } }))).toEqual([
      "NO_ENDPOINT input",
      "UNKNOWN_MIDDLEWARE input.middlewares[0].bogus",
    ]);
  });

  it("also those of the endpoints inside a configuration that does not fit itself", () => {
    const output = { memory: { topic: "a" }, middlewares: [{ dlq: { endpoint: { file: { pth: "x" } }, stop: 1 } }] };
    expect(codes(errorsOf({ output }, { middlewares: { dlq } }))).toEqual([
      "UNKNOWN_FIELD output.middlewares[0].dlq.stop",
      "MISSING output.middlewares[0].dlq.endpoint.file.path",
      "UNKNOWN_FIELD output.middlewares[0].dlq.endpoint.file.pth",
    ]);
  });

  it("without others that follow from the first", () => {
    const one = (value: unknown) =>
      codes(errorsOf({ output: { memory: { topic: "a" }, middlewares: [{ dlq: value }] } }, { middlewares: { dlq } }));
    expect(one({ stop: 1 })).toEqual(["UNKNOWN_FIELD output.middlewares[0].dlq.stop"]);
    expect(one("text")).toEqual(["VALUE output.middlewares[0].dlq"]);
    expect(one(7)).toEqual(["VALUE output.middlewares[0].dlq"]);
  });

  it("also those beside a reference that leads nowhere", () => {
    const lost = {
      description: "",
      schema: fields(["name"]),
      output: { capabilities: () => OUTPUT, open: () => new FakePublisher() },
      children: () => {
        throw new MqbError("MQB_LOST", "config", "leads nowhere");
      },
    };
    const route = {
      concurency: 2,
      input: { memory: { topc: 1 } },
      output: { lost: {}, middlewares: [{ bogus: {} }, { dlq: { endpoint: { lost: {} } } }] },
    };
    expect(codes(errorsOf(route, { endpoints: { lost }, middlewares: { dlq } }))).toEqual([
      "UNKNOWN_FIELD concurency",
      "UNKNOWN_FIELD input.memory.topc",
      "MQB_LOST output.lost",
      "UNKNOWN_MIDDLEWARE output.middlewares[0].bogus",
      "MQB_LOST output.middlewares[1].dlq.endpoint.lost",
    ]);
  });
});
