import { isMqbError } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { parseUri } from "../src/index.ts";
import { routeLines } from "./lint/linted.ts";

const RAW = "p@ss#1:%$^/x";
const message = (uri: string): string => {
  try {
    parseUri(uri, "output", {});
    return "accepted";
  } catch (error) {
    return isMqbError(error) ? `${error.code} ${error.message} ${error.hint}` : String(error);
  }
};

describe("a password with characters that end it in a URL", () => {
  it.each([RAW, "a/b", "a?b", "a#b", "a/b?c=d&e", "p@ss/w?rd#1"])("is refused in a configuration: %s", (password) => {
    const url = JSON.stringify(`amqp://svc:${password}@localhost/%2Fteam`);
    const lines = routeLines(`input: {memory: {topic: a}}, output: {amqp: {url: ${url}}}`);
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^error MQB_LINT_URL_PASSWORD .*the password in "url" of "amqp".*percent-encode.*"password"/,
      ),
    );
    expect(lines.join()).not.toContain(password);
  });

  it.each([RAW, "a/b", "a?b", "a#b"])("is refused in a URI: %s", (password) => {
    const text = message(`amqp://svc:${password}@localhost/x`);
    expect(text).toMatch(/^MQB_CONFIG_URI_PASSWORD the password in "amqp:\/\/svc:\*\*\*@localhost\/x".*percent-encode/);
    expect(text).not.toContain(password);
  });

  it.each([
    `amqp://svc:${encodeURIComponent(RAW)}@localhost/%2Fteam%20a`,
    "amqp://svc:p@ss@localhost/x",
    "http://localhost:8080/@scope/x",
    "http://u:p@localhost:8080/@scope/x?mail=a@b.c",
    "kafka://a:9092,b:9092/?client=x@y",
    "http://[::1]:80/@x",
    "tcp://*:5555?x=@y",
    "http://host/a:b@c",
    "postgres://u:${PW}@h/db?x=a@b",
  ])("is none in %s", (url) => {
    expect(message(url.replace("${PW}", "x"))).toBe("accepted");
    const lines = routeLines(`input: {memory: {topic: a}}, output: {http: {url: ${JSON.stringify(url)}}}`);
    expect(lines.join()).not.toContain("URL_PASSWORD");
  });

  it("is seen in what a variable gives, which nobody has encoded", () => {
    const lines = routeLines('input: {memory: {topic: a}}, output: {amqp: {url: "amqp://u:${PW}@h"}}', { PW: "a/b" });
    expect(lines).toContainEqual(expect.stringContaining("MQB_LINT_URL_PASSWORD"));
  });
});
