import { once } from "node:events";
import { connect as connectH2 } from "node:http2";
import { connect } from "node:net";
import { Message } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { ask, forever, source } from "./support.ts";

const active = (opened: Awaited<ReturnType<typeof source>>): unknown => opened.end.status!().details!["requests"];

describe("requests that wait for their turn", () => {
  it.each([
    ["are refused", { webhook_signature: { scheme: "github", secret: "s" } as const }, /^HTTP\/1.1 401 /],
    ["are accepted", { fire_and_forget: true, internal_buffer_size: 10_000 }, /^HTTP\/1.1 202 /],
  ])(
    "by the thousand %s one after the other",
    async (_, options, wanted) => {
      const count = 5000;
      await using opened = await source({ ...options, concurrency_limit: 50 });
      const slow = connectH2(`http://127.0.0.1:${opened.port}`);
      for (let i = 0; i < 50; i++) slow.request({ ":method": "POST" }).on("error", () => {});
      await expect.poll(() => active(opened), { timeout: 4000 }).toBe(50);
      const many = connect(opened.port, "127.0.0.1");
      let text = "";
      const answered = new Promise<void>((resolve) => {
        many.on("data", (chunk: Buffer) => {
          text += chunk.toString();
          if (text.length > count * 80 && text.split("HTTP/1.1 ").length - 1 === count) resolve();
        });
      });
      many.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n".repeat(count));
      await once(many, "connect");
      slow.destroy();
      await answered;
      expect(text).toMatch(wanted);
      await expect.poll(() => active(opened)).toBe(0);
      many.destroy();
    },
    20_000,
  );

  it("are no more than there is room for: others are told to come again at once", async () => {
    await using opened = await source({ concurrency_limit: 1 });
    const first = connect(opened.port, "127.0.0.1");
    first.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n".repeat(1001));
    await once(first, "connect");
    const delivery = await opened.end.receive(1, forever());
    expect(await ask(`http://127.0.0.1:${opened.port}`)).toMatchObject({ status: 503 });
    await delivery.commit();
    first.destroy();
  });

  it("and that were reset meanwhile hold no place, nor does a HEAD that is reset later", async () => {
    await using opened = await source({ concurrency_limit: 1 });
    const first = ask(`http://127.0.0.1:${opened.port}`, { body: "first" });
    const delivery = await opened.end.receive(1, forever());
    const session = connectH2(`http://127.0.0.1:${opened.port}`);
    const half = session.request({ ":method": "POST", "content-length": "5" });
    half.write("he");
    const head = session.request({ ":method": "HEAD" });
    const pinged = (): Promise<void> => new Promise((resolve) => session.ping(() => resolve()));
    await pinged();
    half.close(8);
    await pinged();
    await delivery.commit();
    await first;
    expect((await opened.end.receive(1, forever())).batch.metadata(0).get("http_method")).toBe("HEAD");
    head.close(8);
    await expect.poll(() => active(opened)).toBe(0);
    session.destroy();
  });

  it("wait for answers that are not read, until nothing of those goes out any more", async () => {
    await using opened = await source({ concurrency_limit: 1, request_timeout_ms: 100 });
    const lazy = connect(opened.port, "127.0.0.1").pause();
    lazy.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    const delivery = await opened.end.receive(1, forever());
    await delivery.commit([{ type: "reply", message: new Message(Buffer.alloc(64 * 1024 * 1024)) }]);
    expect(active(opened)).toBe(1);
    await expect.poll(() => active(opened), { timeout: 4000 }).toBe(0);
    lazy.destroy();
  });

  it("behind another one on a connection that ends free their places", async () => {
    await using opened = await source({ request_timeout_ms: 1000 });
    const client = connect(opened.port, "127.0.0.1");
    client.write("GET / HTTP/1.1\r\nHost: h\r\n\r\nPOST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab");
    await expect.poll(() => active(opened)).toBe(2);
    client.destroy();
    await expect.poll(() => active(opened)).toBe(0);
  });
});
