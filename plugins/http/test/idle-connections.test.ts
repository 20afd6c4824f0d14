import { once } from "node:events";
import { connect as connectH2 } from "node:http2";
import { systemClock } from "@mqb/core/plugin";
import { expect, it } from "vitest";
import { HttpServer } from "../src/listener/server.ts";

it("a session of HTTP/2 ends when it is idle, also when its time ran out while it still had a stream", async () => {
  const settings = { tls: undefined, protocol: "http2_only", headTimeoutMs: 1000, reusePort: false } as const;
  let ranOut = false;
  const server = new HttpServer({ ...settings, keepAliveMs: 150 }, systemClock, {
    request(_, response) {
      if (!("stream" in response)) return;
      response.stream.session!.once("timeout", () => {
        ranOut = true;
        response.end();
      });
    },
    failed: () => {},
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  const session = connectH2(`http://127.0.0.1:${server.port}`);
  const closed = once(session, "close");
  session.request().resume();
  await closed;
  expect(ranOut).toBe(true);
  await server.close();
});
