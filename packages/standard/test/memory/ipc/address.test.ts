import { describe, expect, it } from "vitest";
import { parseAddress } from "../../../src/memory/address.ts";

const parse = (text: string, platform: NodeJS.Platform = "linux") => parseAddress(text, platform);

describe("an address between processes", () => {
  it.each([
    ["ipc://jobs", { kind: "name", name: "jobs" }],
    ["IPC://jobs", { kind: "name", name: "jobs" }],
    ["ipc://team/jobs", { kind: "name", name: "team/jobs" }],
    ["ipc:///run/app/q.sock", { kind: "path", path: "/run/app/q.sock" }],
    ["unix:///run/app/q.sock", { kind: "path", path: "/run/app/q.sock" }],
  ])("%s is a place on Unix", (url, place) => {
    expect(parse(url)).toEqual({ topic: url, ipc: { url, ...place } });
  });

  it.each([
    ["ipc://jobs", "\\\\.\\pipe\\mq-bridge-jobs"],
    ["pipe://jobs", "\\\\.\\pipe\\jobs"],
  ])("%s is a named pipe on Windows", (url, path) => {
    expect(parse(url, "win32")).toEqual({ topic: url, ipc: { url, kind: "pipe", path } });
  });

  it.each([
    ["unix://run/q.sock", "linux", /unix:\/\/run\/q\.sock.*absolute.*unix:\/\/\/run\/q\.sock/],
    ["unix:///run/q.sock", "win32", /unix:\/\/\/run\/q\.sock.*Unix only.*win32/],
    ["unix://q", "win32", /Unix only.*win32/],
    ["ipc:///run/q.sock", "win32", /Unix only.*win32/],
    ["pipe://q", "linux", /pipe:\/\/q.*Windows.*linux/],
    ["pipe://a/b", "win32", /slash/],
    ["ipc://a/b", "win32", /slash/],
    ["ipc://../q", "linux", /ipc:\/\/\.\.\/q.*"\.\."/],
    ["ipc://a/../q", "linux", /"\.\."/],
    ["ipc://..\\q", "win32", /"\.\."/],
    ["ipc://a//b", "linux", /empty/],
    ["ipc://./q", "linux", /"\."/],
    ["ipc://", "linux", /needs a name/],
    ["unix://", "linux", /needs a name/],
    ["pipe://", "win32", /needs a name/],
    ["ipc:///run/app/", "linux", /folder/],
    ["ipc:///run/\0q", "linux", /NUL/],
  ] as const)("%j on %s is refused, and the message says why", (url, platform, message) => {
    expect(parse(url, platform)).toEqual({ refused: expect.stringMatching(message) });
  });

  it.each([
    ["linux", 107],
    ["darwin", 103],
  ] as const)("has at most as many bytes as the field of the system holds: on %s %i", (platform, limit) => {
    const path = (bytes: number) => `/${"ü".repeat((bytes - 1) >> 1)}${bytes % 2 === 0 ? "x" : ""}`;
    expect(Buffer.byteLength(path(limit))).toBe(limit);
    expect(parse(`ipc://${path(limit)}`, platform)).toHaveProperty("ipc");
    const refused = new RegExp(`at most ${limit} bytes.*${limit + 1}`);
    expect(parse(`ipc://${path(limit + 1)}`, platform)).toEqual({ refused: expect.stringMatching(refused) });
  });
});
