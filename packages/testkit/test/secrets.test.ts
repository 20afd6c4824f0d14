import type { ConfigSchema } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { secretsOf } from "../src/connector/secrets.ts";

const schema: ConfigSchema = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) => ({ value }),
    jsonSchema: {
      input: () => ({
        properties: {
          token: { type: "string", secret: true },
          tls: { $ref: "#/$defs/tls" },
          keys: { type: "array", items: { type: "string", "x-mqb-secret": true } },
          auth: { anyOf: [{ type: "null" }, { properties: { pin: { type: "string", secret: true } } }] },
        },
        $defs: { tls: { properties: { passphrase: { type: "string", secret: true }, ca: { type: "string" } } } },
      }),
    },
  },
};

describe("secretsOf", () => {
  it("finds what the schema marks, at any depth", () => {
    const config = {
      token: "t-1",
      tls: { passphrase: "p-2", ca: "public" },
      keys: ["k-3", "k-4"],
      auth: { pin: "n-5" },
      topic: "public too",
    };
    expect(secretsOf(schema, config).sort()).toEqual(["k-3", "k-4", "n-5", "p-2", "t-1"]);
  });

  it("finds passwords in URLs", () => {
    expect(secretsOf(schema, { url: "amqp://user:p%40ss@host/vhost", plain: "amqp://host" })).toEqual(["p@ss"]);
  });

  it("does not look into what is no configuration", () => {
    expect(secretsOf(schema, { handle: new Map([["token", "x"]]), token: 7 })).toEqual([]);
  });
});
