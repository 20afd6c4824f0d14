import { describe, expect, it } from "vitest";
import { parseServers } from "../src/client/servers.ts";

describe("the servers of a url", () => {
  it.each([
    ["nats://localhost:4222", ["localhost:4222"]],
    ["localhost", ["localhost:4222"]],
    ["nats-eu:4223", ["nats-eu:4223"]],
    ["nats://a:1,nats://b:2, c", ["a:1", "b:2", "c:4222"]],
    ["nats://[::1]:4222/", ["[::1]:4222"]],
  ])("%s", (url, list) => {
    expect(parseServers(url)).toMatchObject({ list, tls: false, target: list.join(",") });
  });

  it("takes tls:// of any of them for all", () => {
    expect(parseServers("nats://a,tls://b").tls).toBe(true);
  });

  it("takes the login out, so that neither the driver nor a message has it", () => {
    const servers = parseServers("nats://us%20er:pa,ss:1@h:4222,nats://other");
    expect(servers).toMatchObject({ user: "us er", password: "pa,ss:1", list: ["h:4222", "other:4222"] });
    expect(parseServers("nats://s3cr3t@h")).toMatchObject({ token: "s3cr3t", target: "h:4222" });
  });

  it.each([
    ["http://h:4222", "http://"],
    ["ws://h", "ws://"],
    ["", "no server"],
    ["nats://", "no host"],
    ["nats://h:70000", "70000"],
    ["nats://h/orders", "a field"],
  ])("refuses %j", (url, why) => {
    expect(() => parseServers(url)).toThrow(
      expect.objectContaining({ code: "MQB_NATS_URL", kind: "config", message: expect.stringContaining(why) }),
    );
  });

  it("never shows a password", () => {
    expect(() => parseServers("nats://user:hunter2@h:99999")).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("hunter2") }),
    );
  });
});
