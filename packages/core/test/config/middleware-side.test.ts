import { describe, expect, it } from "vitest";
import type { ChildEndpoint, EndpointDefinition } from "../../src/contract/definition.ts";
import { anything, INPUT, middleware, OUTPUT } from "../fakes/plugin.ts";
import { errorsOf } from "./support.ts";

describe("a middleware on the wrong side", () => {
  it.each([
    ["retry", "output"],
    ["dlq", "output"],
  ])("%s on an input is refused", (name, side) => {
    const route = { input: { memory: { topic: "a" }, middlewares: [{ [name]: {} }] } };
    expect(errorsOf(route)).toEqual([
      `WRONG_SIDE input.middlewares[0].${name}: "${name}" is a middleware for the ${side} only; here it stands on an input (move it to the output's "middlewares")`,
    ]);
  });

  it.each([["deduplication"], ["id"]])("%s on an output is refused", (name) => {
    const route = { output: { memory: { topic: "b" }, middlewares: [{ delay: {} }, { [name]: { store: "s" } }] } };
    expect(errorsOf(route)).toEqual([
      `WRONG_SIDE output.middlewares[1].${name}: "${name}" is a middleware for the input only; here it stands on an output (move it to the input's "middlewares")`,
    ]);
  });

  it("is refused below endpoints and middlewares that nest others, at its place", () => {
    const nest = (of: (config: never) => readonly ChildEndpoint[]): EndpointDefinition => ({
      description: "",
      schema: anything,
      input: { capabilities: () => INPUT, open: () => Promise.reject(new Error("unused")) },
      output: { capabilities: () => OUTPUT, open: () => Promise.reject(new Error("unused")) },
      children: of as (config: unknown) => readonly ChildEndpoint[],
    });
    const options = {
      endpoints: {
        sequence: nest(({ endpoints }: { endpoints: unknown[] }) =>
          endpoints.map((endpoint, i) => ({ path: `endpoints[${i}]`, side: "input", endpoint })),
        ),
        reader: nest((endpoint) => [{ path: "", side: "input", endpoint }]),
        fanout: nest((legs: unknown[]) => legs.map((endpoint, i) => ({ path: `[${i}]`, side: "output", endpoint }))),
        request: nest(({ to }: { to: unknown }) => [{ path: "to", side: "output", endpoint: to }]),
        ref: {
          ...nest(() => []),
          children: (name: unknown, side: "input" | "output", references: { get(name: string): unknown }) => [
            { path: String(name), side, endpoint: references.get(String(name)) },
          ],
        },
      },
      middlewares: {
        lookup: middleware({
          input: (inner) => inner,
          children: (config) => [{ path: "from", side: "output", endpoint: (config as { from: unknown }).from }],
        }),
      },
      references: { q: { memory: { topic: "q" }, middlewares: [{ retry: {} }] } },
    };
    const place = (route: unknown): string =>
      errorsOf(route, options)
        .map((text) => text.split(":")[0])
        .join();
    const memory = (name: string) => ({ memory: { topic: "a" }, middlewares: [{ [name]: { store: "s" } }] });

    expect(place({ input: { ref: "q", middlewares: [{ retry: {} }] } })).toBe(
      "WRONG_SIDE input.ref.q.middlewares[0].retry,WRONG_SIDE input.middlewares[0].retry",
    );
    expect(place({ input: { sequence: { endpoints: [memory("retry"), { memory: { topic: "c" } }] } } })).toBe(
      "WRONG_SIDE input.sequence.endpoints[0].middlewares[0].retry",
    );
    expect(place({ output: { reader: memory("dlq") } })).toBe("WRONG_SIDE output.reader.middlewares[0].dlq");
    expect(place({ output: { fanout: [memory("id")] } })).toBe("WRONG_SIDE output.fanout[0].middlewares[0].id");
    expect(place({ output: { memory: {}, middlewares: [{ dlq: { endpoint: memory("deduplication") } }] } })).toBe(
      "WRONG_SIDE output.middlewares[0].dlq.endpoint.middlewares[0].deduplication",
    );
    expect(place({ input: { memory: {}, middlewares: [{ lookup: { from: memory("id") } }] } })).toBe(
      "WRONG_SIDE input.middlewares[0].lookup.from.middlewares[0].id",
    );
    expect(place({ output: { request: { to: memory("id") } } })).toBe("WRONG_SIDE output.request.to.middlewares[0].id");
  });
});

describe("an endpoint on the wrong side", () => {
  it("is refused with the side that it has", () => {
    expect(errorsOf({ output: { static: {} } })).toEqual(['WRONG_SIDE output.static: "static" can only be an input']);
    expect(errorsOf({ input: { null: null } })).toEqual(['WRONG_SIDE input.null: "null" can only be an output']);
  });

  it("is still checked for its fields, but not by its own checks", () => {
    const asked: string[] = [];
    const options = {
      endpoints: {
        static: {
          description: "",
          schema: anything,
          input: { capabilities: () => INPUT, open: () => Promise.reject(new Error("unused")) },
          check: () => {
            asked.push("check");
            return [];
          },
        },
      },
    };
    expect(errorsOf({ output: { static: {} } }, options)).toHaveLength(1);
    expect(asked).toEqual([]);
  });
});
