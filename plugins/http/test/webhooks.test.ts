import { createHmac } from "node:crypto";
import { batchOf, Message } from "@mqb/core/plugin";
import { CollectingPublisher, fakePlugin } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { signatureCheck, signer } from "../src/webhook/check.ts";
import { ask, forever, type Listening, listening, sink, source } from "./support.ts";

function into(publisher: CollectingPublisher, input = {}, middlewares: unknown[] = []): Promise<Listening> {
  return listening(input, { sink: {} }, { plugins: [fakePlugin({ sink: { publisher } })], middlewares });
}

const SECRET = "It's a Secret to Everybody";
const hex = (secret: string, text: string): string => createHmac("sha256", secret).update(text).digest("hex");

describe("a signed request", () => {
  it("is taken as GitHub signs it; every other one is 401, and the route does not see it", async () => {
    const publisher = new CollectingPublisher();
    await using server = await into(publisher, { webhook_signature: { scheme: "github", secret: SECRET } });
    // The example of GitHub's documentation.
    const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    const body = "Hello, World!";
    const send = (headers: Record<string, string>, text = body) => ask(server.url, { body: text, headers });
    expect((await send({ "x-hub-signature-256": signature })).status).toBe(202);
    for (const wrong of [signature.replace("7571", "7572"), "sha256=00", "sha1=abc", ""]) {
      expect((await send({ "x-hub-signature-256": wrong })).status, wrong).toBe(401);
    }
    expect(await send({})).toMatchObject({ status: 401, text: "Missing signature" });
    expect(await send({ "x-hub-signature-256": signature }, "Hello, World?")).toMatchObject({
      status: 401,
      text: "Invalid signature",
    });
    expect(publisher.messages).toHaveLength(1);
    expect(server.log.text()).not.toContain(SECRET);
  });

  it("is not expected of a body that is read while it comes: the source does not open", async () => {
    const options = { receive_streamable: true, webhook_signature: { scheme: "github", secret: SECRET } } as const;
    await expect(source(options)).rejects.toMatchObject({ code: "MQB_HTTP_STREAMED", kind: "config" });
  });

  it("is taken as Stripe signs it, with any of its signatures, and not when it is too old", () => {
    const check = signatureCheck({ scheme: "stripe", secret: ["old", "new"] });
    const now = 1_700_000_000_000;
    const at = (seconds: number, secret = "new"): string =>
      `t=${seconds},v0=ignored,v1=${"0".repeat(64)},v1=${hex(secret, `${seconds}.{}`)}`;
    const verdict = (header: string) =>
      check(Buffer.from("{}"), (name) => (name === "stripe-signature" ? header : undefined), now);
    expect(verdict(at(1_700_000_000))).toBeUndefined();
    expect(verdict(at(1_699_999_800, "old"))).toBeUndefined();
    expect(verdict(at(1_699_999_600))).toBe("Signature is too old");
    expect(verdict(at(1_700_000_400))).toBe("Signature is too old");
    expect(verdict(at(1_700_000_000, "other"))).toBe("Invalid signature");
    expect(verdict("v1=abc")).toBe("Malformed signature");
  });

  it("is taken as the standard signs it", () => {
    // The example of standardwebhooks.com.
    const check = signatureCheck({ scheme: "standard", secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" });
    const headers: Record<string, string> = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1a,none v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    };
    const verdict = (given: Record<string, string>, body = '{"test": 2432232314}') =>
      check(Buffer.from(body), (name) => given[name], 1_614_265_330_000);
    expect(verdict(headers)).toBeUndefined();
    expect(verdict(headers, "{}")).toBe("Invalid signature");
    expect(verdict({ ...headers, "webhook-id": "other" })).toBe("Invalid signature");
    expect(verdict({ ...headers, "webhook-timestamp": "1614265331" })).toBe("Invalid signature");
  });

  it.each(["github", "stripe", "standard"] as const)("is made by a sink and taken by a source: %s", async (scheme) => {
    const publisher = new CollectingPublisher();
    const webhook_signature = { scheme, secret: ["whsec_c2VjcmV0", "older"] };
    await using server = await into(publisher, { webhook_signature });
    await using opened = await sink({
      url: server.url,
      webhook_signature,
      compression: "gzip",
      compression_threshold_bytes: 1,
    });
    const outcomes = (await opened.end.send(batchOf([new Message("payload"), new Message("")]), forever()))!;
    expect(outcomes.map(({ type }) => type)).toEqual(["replied", "replied"]);
    expect(publisher.messages.map((message) => message.text()).sort()).toEqual(["", "payload"]);
  });

  it("cannot be made to say something else by metadata", () => {
    const sign = signer({ scheme: "standard", secret: "s" });
    const headers = Object.fromEntries(sign(Buffer.from("x"), "id-1", 5000));
    expect(headers).toMatchObject({ "webhook-id": "id-1", "webhook-timestamp": "5" });
  });
});

describe("an Idempotency-Key", () => {
  it("gives the same request the same id, so that deduplication knows it", async () => {
    const publisher = new CollectingPublisher();
    await using server = await into(publisher, { idempotency_key_header: "Idempotency-Key" });
    const send = (headers: Record<string, string>) => ask(server.url, { headers });
    await send({ "idempotency-key": "order-17" });
    await send({ "idempotency-key": "order-17" });
    await send({ "idempotency-key": "order-18" });
    await send({ "idempotency-key": "00000000-0000-4000-8000-000000000001" });
    await send({ "idempotency-key": "order-17", "message-id": "0xff" });
    await send({});
    const ids = publisher.messages.map(({ id }) => id);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[3]).toBe("00000000-0000-4000-8000-000000000001");
    expect(ids[4]).toBe("00000000-0000-0000-0000-0000000000ff");
    expect(new Set(ids).size).toBe(5);
  });
});
