import { batchOf } from "@mqb/core/plugin";
import { FakeScope, lineBatch, messageBatch } from "@mqb/testkit";
import { expect, it } from "vitest";
import { NEVER } from "../opened.ts";
import { jarOnInput, jarOnOutput } from "./setup.ts";

it("sends the cookies of an answer with later messages, each line of it one", async () => {
  const { request } = await jarOnOutput();
  expect((await request({}, { "set-cookie": "sid=1; Path=/; HttpOnly\nlang=de\r\nb=2; Max-Age=0" })).sent).toEqual({});
  expect((await request()).sent).toEqual({ cookie: "sid=1; lang=de" });
});

it("copies what the jar holds into messages and answers under its prefix, with names that cannot be mixed up", async () => {
  const { request } = await jarOnOutput({ capture_metadata_keys: ["x-csrf"], export_metadata_prefix: "session." });
  const answer = { "set-cookie": "sid=1; Path=/\nx-csrf=evil\nb=2; Max-Age=0", "x-csrf": "tok" };
  const exported = {
    "session.cookie.sid": "1",
    "session.cookie.x-csrf": "evil",
    "session.value.x-csrf": "tok",
  };
  expect(await request({}, answer)).toEqual({ sent: {}, answered: { ...answer, ...exported } });
  expect((await request()).sent).toEqual({ cookie: "sid=1; x-csrf=evil", ...exported });
});

it("sets metadata from the jar where a message has none of its own", async () => {
  const { request } = await jarOnOutput({
    capture_metadata_keys: ["x-csrf"],
    inject_metadata: { "x-token": "value.x-csrf", "x-session": "cookie.sid", "x-short": "x-csrf", "x-none": "nothing" },
  });
  await request({}, { "x-csrf": "tok", "set-cookie": "sid=1" });
  expect((await request({ "x-session": "mine" })).sent).toEqual({
    cookie: "sid=1",
    "x-token": "tok",
    "x-session": "mine",
    "x-short": "tok",
  });
});

it("keeps the cookies of a message that passes, and takes a later one over an earlier one", async () => {
  const { request } = await jarOnOutput();
  await request({}, { "set-cookie": "a=1\nb=2" });
  expect((await request({ cookie: "a=9; c=3; broken; =x" })).sent).toEqual({ cookie: "b=2; a=9; c=3" });
  expect((await request()).sent).toEqual({ cookie: "b=2; a=9; c=3" });
});

it.each(["0", "-1", " 0 "])("Max-Age=%s deletes a cookie", async (age) => {
  const { request } = await jarOnOutput();
  await request({}, { "set-cookie": "a=1\nb=2" });
  await request({}, { "set-cookie": `a=gone; Max-age=${age}` });
  expect((await request()).sent).toEqual({ cookie: "b=2" });
});

it("sends a cookie no longer than its Max-Age, and does not read Expires", async () => {
  const { clock, request } = await jarOnOutput();
  await request({}, { "set-cookie": "a=1; Max-Age=60\nb=2; Expires=Thu, 01 Jan 1970 00:00:00 GMT\nc=3; Max-Age=soon" });
  await clock.advance(59_999);
  expect((await request()).sent).toEqual({ cookie: "a=1; b=2; c=3" });
  await clock.advance(1);
  expect((await request()).sent).toEqual({ cookie: "b=2; c=3" });
});

it("drops what was set longest ago when there is more than it may hold", async () => {
  const { request } = await jarOnOutput({ max_cookies: 2 });
  await request({}, { "set-cookie": "a=1\nb=2\na=3\nc=4" });
  expect((await request()).sent).toEqual({ cookie: "a=3; c=4" });
  const flood = Array.from({ length: 10_000 }, (_, n) => `n${n}=1`).join("\n");
  await request({}, { "set-cookie": flood });
  expect((await request()).sent).toEqual({ cookie: "n9998=1; n9999=1" });
});

it("keeps nothing that could become another header", async () => {
  const { request } = await jarOnOutput();
  await request({ cookie: "a=1\r\nx-evil: 1; b=2" }, { "set-cookie": "c=\u0000; x" });
  expect((await request()).sent).toEqual({ cookie: "b=2" });
});

it("jars of one scope are one, on either side; others are apart", async () => {
  const scope = new FakeScope();
  const login = await jarOnOutput({ shared_scope: "login" }, { scope });
  const data = await jarOnOutput({ shared_scope: "login" }, { scope });
  const other = await jarOnOutput({}, { scope });
  const input = await jarOnInput({ shared_scope: "login" }, { scope });
  await login.request({}, { "set-cookie": "sid=1" });
  expect((await data.request()).sent).toEqual({ cookie: "sid=1" });
  expect((await other.request()).sent).toEqual({});
  expect(await input.receive({ "set-cookie": "t=2" })).toEqual({ "set-cookie": "t=2", cookie: "sid=1; t=2" });
  expect((await data.request()).sent).toEqual({ cookie: "sid=1; t=2" });
});

it("a jar outlives a reconnect", async () => {
  const session = new Map<string, unknown>();
  await (await jarOnOutput({}, { session })).request({}, { "set-cookie": "sid=1" });
  expect((await (await jarOnOutput({}, { session })).request()).sent).toEqual({ cookie: "sid=1" });
});

it("uses the metadata keys that it is told", async () => {
  const { request } = await jarOnOutput({ cookie_metadata_key: "Cookie", set_cookie_metadata_key: "Set-Cookie" });
  await request({}, { "Set-Cookie": "a=1", "set-cookie": "b=2" });
  expect((await request()).sent).toEqual({ Cookie: "a=1" });
});

it("passes a batch on as it is while the jar is empty, and leaves bytes where they are when it is not", async () => {
  const { sink, publisher, request } = await jarOnOutput();
  const batch = messageBatch(2);
  await publisher.send(batch, NEVER);
  expect(sink.sends.at(-1)).toBe(batch);
  await request({}, { "set-cookie": "a=1" });
  const lines = lineBatch(2);
  await publisher.send(lines, NEVER);
  const sent = sink.sends.at(-1)!;
  expect(sent.slab).toBe(lines.slab);
  expect([sent.id(1), sent.metadata(1).get("cookie")]).toEqual([lines.id(1), "a=1"]);
  await publisher.send(batchOf([]), NEVER);
});
