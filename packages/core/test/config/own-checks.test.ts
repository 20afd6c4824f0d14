import { describe, expect, it } from "vitest";
import type { CheckContext, EndpointDefinition } from "../../src/contract/definition.ts";
import { MqbError } from "../../src/errors/mqb-error.ts";
import { anything, INPUT, middleware, OUTPUT } from "../fakes/plugin.ts";
import { FakePublisher } from "../fakes/publisher.ts";
import { check, endpoints, errorsOf, written } from "./support.ts";

const output = { capabilities: () => OUTPUT, open: () => new FakePublisher() };
const checking = (check: NonNullable<EndpointDefinition["check"]>): EndpointDefinition => ({
  description: "",
  schema: anything,
  output,
  check,
});

describe("what a definition finds", () => {
  it("is a problem at its place", () => {
    const odd = checking(() => [{ level: "error", path: ["url", 0], code: "MQB_ODD_URL", message: "no", hint: "yes" }]);
    expect(errorsOf({ output: { odd: {} } }, { endpoints: { odd } })).toEqual([
      "MQB_ODD_URL output.odd.url[0]: no (yes)",
    ]);
  });

  it("does not keep the route from starting when it is a warning", () => {
    const odd = checking(() => [{ level: "warning", path: [], code: "MQB_ODD", message: "slow" }]);
    const { plan, problems } = check({ output: { odd: {} } }, { endpoints: { odd } });
    expect(plan).toBeDefined();
    expect(problems.map(written)).toEqual(["MQB_ODD output.odd: slow"]);
  });

  it("may depend on the route, the side, the neighbours and what is nested", () => {
    const seen: CheckContext[] = [];
    const odd: EndpointDefinition = {
      ...checking((_, context) => {
        seen.push(context);
        return [];
      }),
      children: () => [{ path: "to", side: "output", endpoint: { file: { path: "f" } } }],
    };
    const middlewares = { m: middleware({ aliases: ["alias"], output: (inner) => inner, check: odd.check! }) };
    const route = {
      exit_on_empty: true,
      allow_fault_injection: true,
      output: { odd: {}, middlewares: [{ alias: {} }, "delay"] },
    };
    check(route, { endpoints: { odd }, middlewares });
    const around = {
      side: "output",
      route: "r",
      draining: true,
      allowFaultInjection: true,
      middlewares: ["m", "delay"],
      expressions: expect.any(Function) as unknown,
      service: expect.any(Function) as unknown,
    };
    expect(seen).toEqual([
      {
        ...around,
        children: [{ path: "to", side: "output", endpoint: { file: { path: "f" } }, type: "file", output: OUTPUT }],
      },
      { ...around, children: [] },
    ]);
  });

  it("does not depend on errors elsewhere in the route", () => {
    const nested: unknown[] = [];
    const odd: EndpointDefinition = {
      ...checking((_, { children }) => {
        nested.push(...children.map(({ type }) => type));
        return [];
      }),
      children: () => [{ path: "to", side: "output", endpoint: { file: { path: "f" } } }],
    };
    expect(errorsOf({ input: { kafka: {} }, output: { odd: {} } }, { endpoints: { odd } })).toHaveLength(2);
    expect(nested).toEqual(["file"]);
  });

  it("may be thrown as an mqb error", () => {
    const odd = checking(() => {
      throw new MqbError("MQB_ODD_EXPRESSION", "config", "bad filter", { cause: new Error("at 3"), hint: "quote it" });
    });
    expect(errorsOf({ output: { odd: {} } }, { endpoints: { odd } })).toEqual([
      "MQB_ODD_EXPRESSION output.odd: bad filter: at 3 (quote it)",
    ]);
    const late = { ...endpoints["memory"]!, output: { ...output, capabilities: odd.check as never } };
    expect(errorsOf({ output: { late: {} } }, { endpoints: { late } })[0]).toContain("MQB_ODD_EXPRESSION");
  });

  it("is a bug when it is thrown as another error", () => {
    const odd = checking(() => {
      throw new TypeError("oops");
    });
    expect(() => check({ output: { odd: {} } }, { endpoints: { odd } })).toThrow(TypeError);
  });

  it("is not asked for when the configuration has the wrong shape", () => {
    const odd = { ...checking(() => expect.unreachable()), schema: endpoints["file"]!.schema };
    expect(errorsOf({ output: { odd: {} } }, { endpoints: { odd } })).toHaveLength(1);
  });
});

describe("capabilities", () => {
  it("pass through the middlewares from the transport outwards, on both sides", () => {
    const add = (name: string) =>
      middleware({
        input: (inner) => inner,
        output: (inner) => inner,
        inputCapabilities: (inner) => ({ ...inner, trail: [...trailOf(inner), name] }),
        outputCapabilities: (inner) => ({ ...inner, trail: [...trailOf(inner), name] }),
      });
    const trailOf = (capabilities: object): string[] => (capabilities as { trail?: string[] }).trail ?? [];
    const middlewares = { one: add("one"), two: add("two") };
    const list = { middlewares: ["one", "delay", "two"] };
    const { plan } = check({ input: { memory: {}, ...list }, output: { memory: {}, ...list } }, { middlewares });
    expect(trailOf(plan!.input.input!)).toEqual(["two", "one"]);
    expect(trailOf(plan!.output.output!)).toEqual(["one", "two"]);
    expect(plan!.input.output).toBeUndefined();
    expect(plan!.input.input).toMatchObject(INPUT);
  });
});
