import { describe, expect, it } from "vitest";
import type { EndpointDefinition } from "../../src/contract/definition.ts";
import { MqbError } from "../../src/errors/mqb-error.ts";
import { anything, OUTPUT } from "../fakes/plugin.ts";
import { FakePublisher } from "../fakes/publisher.ts";
import { check, errorsOf } from "./support.ts";

const ref: EndpointDefinition = {
  description: "",
  schema: anything,
  structural: true,
  output: {
    capabilities: (_, { children }) => children[0]!.output!,
    open: () => new FakePublisher(),
  },
  children(name, side, references) {
    const endpoint = references.get(String(name));
    if (endpoint === undefined)
      throw new MqbError("MQB_FAKE_NO_REF", "config", `no endpoint "${name}"`, {
        hint: `there are: ${references.names().join(", ")}`,
      });
    return [{ path: String(name), side, endpoint }];
  },
};
const fanout: EndpointDefinition = {
  description: "",
  schema: anything,
  output: {
    capabilities: (_, { children }) => ({ ...OUTPUT, idempotent: children.every((one) => one.output?.idempotent) }),
    open: () => new FakePublisher(),
  },
  children: (legs) => (legs as unknown[]).map((endpoint, i) => ({ path: `[${i}]`, side: "output", endpoint })),
};
const endpoints = { ref, fanout };

describe("a reference", () => {
  it("stands for the endpoint, whose capabilities it has", () => {
    const { plan } = check({ output: { ref: "a" } }, { endpoints, references: { a: { file: { path: "f" } } } });
    expect(plan?.output.output).toEqual(OUTPUT);
    expect(plan?.output.children.map((child) => child.type)).toEqual(["file"]);
  });

  it("to a name that nobody registered is a problem at its place, with the names that exist", () => {
    expect(errorsOf({ output: { ref: "b" } }, { endpoints, references: { a: {} } })).toEqual([
      'MQB_FAKE_NO_REF output.ref: no endpoint "b" (there are: a)',
    ]);
  });

  it("shows a problem of the endpoint that it stands for", () => {
    expect(errorsOf({ output: { ref: "a" } }, { endpoints, references: { a: { file: {} } } })).toEqual([
      'MISSING output.ref.a.file.path: "file" needs the field "path"',
    ]);
  });

  it("to itself is refused with the circle", () => {
    expect(errorsOf({ output: { ref: "a" } }, { endpoints, references: { a: { ref: "a" } } })).toEqual([
      'CYCLE output.ref.a.ref.a: the endpoint refers to itself: ref "a" -> ref "a" (break the circle of references)',
    ]);
  });

  it("in a circle over several endpoints is refused with the circle", () => {
    const references = { a: { fanout: [{ ref: "b" }] }, b: { ref: "c", middlewares: [] }, c: { ref: "a" } };
    expect(errorsOf({ output: { ref: "a" } }, { endpoints, references })).toEqual([
      expect.stringContaining('the endpoint refers to itself: ref "a" -> fanout -> ref "b" -> ref "c" -> ref "a" ('),
    ]);
  });

  it("in an endless line of new objects is refused too", () => {
    const endless = {
      ...ref,
      children: (name: unknown) => [{ path: "x", side: "output" as const, endpoint: { ref: name } }],
    };
    expect(errorsOf({ output: { ref: "a" } }, { endpoints: { ref: endless } })[0]).toContain("CYCLE");
  });

  it("may be used twice", () => {
    const a = { file: { path: "f" } };
    expect(
      errorsOf({ output: { fanout: [{ ref: "a" }, { ref: "a" }, a, a] } }, { endpoints, references: { a } }),
    ).toEqual([]);
  });
});
