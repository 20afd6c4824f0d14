import { describe, expect, it } from "vitest";
import { connectFailure } from "../src/client/classify.ts";

const peer = { target: "test:4222", how: 'as user "u"', tls: undefined };

describe("a login that fails", () => {
  it.each([
    ["AUTHENTICATION_TIMEOUT", "Authentication Timeout", "connection"],
    ["NATS_PROTOCOL_ERR", "maximum account active connections exceeded", "connection"],
    ["NATS_PROTOCOL_ERR", "maximum connections exceeded", "connection"],
    ["AUTHORIZATION_VIOLATION", "Authorization Violation", "config"],
    ["AUTHENTICATION_EXPIRED", "User Authentication Expired", "config"],
  ])("%s %s is %s", (code, message, kind) => {
    expect(connectFailure(Object.assign(new Error(message), { code }), peer).kind).toBe(kind);
  });
});
