import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import type { Clock } from "@mqb/core/plugin";
import { eventually, FakeClock, type FakeContext, FakeScope, fakeContext, within } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { freePort, listening, openInput, receive, refusal, Talker } from "./support.ts";

function login(user: string, password: string): { headers: Record<string, string> } {
  return { headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` } };
}

describe("who may connect to an input", () => {
  it("is any client without basic_auth, also one that gives a password", async () => {
    const { consumer, url } = await listening();
    const client = await Talker.connect(url, login("a", "b"));
    client.socket.send("hello");
    expect((await receive(consumer, 1))[0]!.text()).toBe("hello");
    await consumer.close();
  });

  it("is whoever gives the user and password of basic_auth", async () => {
    const { consumer, url } = await listening({ basic_auth: ["app", "p:w é"] });
    await Talker.connect(url, login("app", "p:w é"));
    for (const options of [
      {},
      login("app", "p"),
      login("app", ""),
      login("", "p:w é"),
      { headers: { authorization: "Bearer x" } },
    ]) {
      const { status, headers } = await refusal(url, options);
      expect([status, headers]).toMatchObject([401, { "www-authenticate": expect.stringContaining("Basic realm=") }]);
    }
    expect((await refusal(url, { headers: { authorization: "Basic %%%" } })).status).toBe(400);
    expect(consumer.status!().details).toMatchObject({ connections: 1, refused: 6 });
    await consumer.close();
  });

  it("is nobody beyond max_connections until somebody leaves", async () => {
    const { consumer, url } = await listening({ max_connections: 2 });
    const clients = [await Talker.connect(url), await Talker.connect(url)];
    expect(await refusal(url)).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
    clients[0]!.socket.close();
    await clients[0]!.closed;
    await eventually(() => consumer.status!().details!["connections"] === 1, "the place of the one that left");
    await Talker.connect(url);
    await consumer.close();
  });
});

describe("where an input listens", () => {
  it("takes clients of its path only, whatever their query is", async () => {
    const { consumer, url } = await listening({ path: "/feed" });
    await Talker.connect(`${url}/feed?a=1`);
    for (const path of ["/", "/feed/", "/feeds", "/FEED", "/%66eed"])
      expect((await refusal(url + path)).status, path).toBe(404);
    await consumer.close();
  });

  it("takes a path without its slash as the same path", async () => {
    const { consumer, url } = await listening({ path: "feed" });
    await Talker.connect(`${url}/feed`);
    await consumer.close();
  });

  it("answers what is no handshake with 426, or 404 where there is nothing", async () => {
    const { consumer, url } = await listening({ path: "/feed" });
    const at = url.replace("ws:", "http:");
    expect(await get(`${at}/feed`)).toMatchObject({ statusCode: 426, headers: { upgrade: "websocket" } });
    expect(await get(`${at}/other`)).toMatchObject({ statusCode: 404 });
    await consumer.close();
  });

  it("is shared by routes with different paths, and the most specific path wins", async () => {
    const scope = new FakeScope();
    const url = `127.0.0.1:${await freePort()}`;
    const open = (route: string, path?: string) =>
      openInput(
        { url, ...(path === undefined ? {} : { path }) },
        fakeContext<Clock>({ scope, route }) as FakeContext<Clock>,
      );
    const [orders, rest] = [await open("orders", "/orders"), await open("rest")];
    (await Talker.connect(`ws://${url}/orders`)).socket.send("an order");
    (await Talker.connect(`ws://${url}/else`)).socket.send("something else");
    expect((await receive(orders, 1))[0]!.text()).toBe("an order");
    expect((await receive(rest, 1))[0]!.text()).toBe("something else");
    await expect(open("third", "/orders")).rejects.toMatchObject({ code: "MQB_WEBSOCKET_PATH_TAKEN", kind: "config" });

    await orders.close();
    (await Talker.connect(`ws://${url}/orders`)).socket.send("nobody else has it now");
    expect((await receive(rest, 1))[0]!.text()).toBe("nobody else has it now");
    await rest.close();
    expect(scope.held).toEqual([]);
  });

  it("is not shared with other settings of the listener", async () => {
    const scope = new FakeScope();
    const url = `127.0.0.1:${await freePort()}`;
    const first = await openInput({ url, path: "/a" }, fakeContext<Clock>({ scope }) as FakeContext<Clock>);
    const second = openInput({ url, path: "/b", backlog: 7 }, fakeContext<Clock>({ scope }) as FakeContext<Clock>);
    await expect(second).rejects.toMatchObject({ code: "MQB_WEBSOCKET_LISTENER_DIFFERS", kind: "config" });
    await first.close();
    expect(scope.held).toEqual([]);
  });

  it("is waited for when somebody else has it", async () => {
    const { consumer, url } = await listening();
    await expect(listening({ url: url.replace("ws://", "") })).rejects.toMatchObject({
      code: "MQB_WEBSOCKET_LISTEN",
      kind: "connection",
      message: expect.stringContaining("somebody listens there already"),
    });
    await consumer.close();
  });
});

describe("the time for a handshake", () => {
  it("is ten seconds, and over for whoever has said nothing, or half, by then; not for clients", async () => {
    const clock = new FakeClock();
    const { consumer, url } = await listening({ ping_interval_ms: 0 }, fakeContext({ clock: clock as Clock }));
    const port = Number(url.split(":").at(-1));
    const client = await Talker.connect(url);
    const idle = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
    for (const socket of idle) await once(socket, "connect");
    idle[1]!.write("GET /feed HTTP/1.1\r\nUpgrade: web");
    await clock.waiting(2);
    const ends = idle.map((socket) => once(socket.resume(), "close"));
    await clock.advance(9_999);
    expect(idle.map(({ destroyed }) => destroyed)).toEqual([false, false]);
    await clock.advance(1);
    await within(Promise.all(ends), "the end of the idle connections");
    client.socket.send("still here");
    expect((await receive(consumer, 1))[0]!.text()).toBe("still here");
    client.socket.terminate();
    await client.closed;
    await consumer.close();
  });
});

async function get(url: string): Promise<object> {
  const [response] = await within(once(request(url).end(), "response"), `an answer of ${url}`);
  response.resume();
  return response;
}
