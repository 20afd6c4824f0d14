import { type Clock, type Side, systemClock } from "@mqb/core/plugin";
import { fakeContext } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { type HttpOptions, http } from "../src/index.ts";
import { httpSchema } from "../src/schema.ts";
import { answering, stub } from "./support.ts";

function probe(side: Side, options: HttpOptions) {
  return http.probe!(httpSchema.parse(options), fakeContext<Clock>({ side, path: side, clock: systemClock }));
}

describe("a probe", () => {
  it("of a server asks with a method that changes nothing, and gives its time", async () => {
    const methods: string[] = [];
    await using server = await answering((request, _, response) => {
      methods.push(request.method!);
      response.writeHead(404).end();
    });
    const [finding] = await probe("output", { url: `${server.url}/x` });
    expect(finding).toMatchObject({ check: "reachable", ok: true, identity: `http ${server.url}/x` });
    expect(Math.abs(finding!.serverTime! - Date.now())).toBeLessThan(5000);
    expect(methods).toEqual(["OPTIONS"]);
  });

  it("finds credentials that are refused, and a server that is not there", async () => {
    await using server = await answering((_, __, response) => response.writeHead(401).end());
    const findings = await probe("output", { url: server.url, basic_auth: ["u", "geheim"] });
    expect(findings.map(({ check, ok }) => [check, ok])).toEqual([
      ["reachable", true],
      ["credentials", false],
    ]);
    expect(JSON.stringify(findings)).not.toContain("geheim");
    const gone = await stub(() => {});
    await gone[Symbol.asyncDispose]();
    expect((await probe("output", { url: gone.url }))[0]).toMatchObject({ check: "reachable", ok: false });
  });

  it("of a listener says whether the address is free", async () => {
    await using server = await stub(() => {});
    expect((await probe("input", { url: `127.0.0.1:${server.port}` }))[0]).toMatchObject({ ok: false });
    expect((await probe("input", { url: "127.0.0.1:0" }))[0]).toMatchObject({ ok: true });
    const tls = { required: true, cert_file: "/nowhere.pem", key_file: "/nowhere.key" };
    expect((await probe("input", { url: "127.0.0.1:0", tls }))[0]).toMatchObject({ check: "certificate", ok: false });
  });
});
