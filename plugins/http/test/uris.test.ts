import type { Side } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { httpScheme, httpsScheme } from "../src/uri.ts";

const schemes = { http: httpScheme, https: httpsScheme };
const config = (scheme: "http" | "https", body: string, side: Side) =>
  schemes[scheme].config({ scheme, body, params: [] }, side);

describe("a URI", () => {
  it.each([
    ["http", "//api.example/orders", { url: "http://api.example/orders" }],
    ["https", "//u:p@api.example:8443", { url: "https://u:p@api.example:8443" }],
  ] as const)("of an output is what it sends to: %s:%s", (scheme, body, wanted) => {
    expect(config(scheme, body, "output")).toEqual(wanted);
    expect(schemes[scheme].uri!(wanted, "output")).toEqual({ scheme, body, params: [] });
  });

  it.each([
    ["http", "//0.0.0.0:8080", { url: "0.0.0.0:8080" }],
    ["http", "//[::1]:8080/orders", { url: "[::1]:8080", path: "/orders" }],
    ["https", "//localhost:8443/a/b", { url: "localhost:8443", path: "/a/b", tls: { required: true } }],
  ] as const)("of an input is what it listens on: %s:%s", (scheme, body, wanted) => {
    expect(config(scheme, body, "input")).toEqual(wanted);
    expect(schemes[scheme].uri!(wanted, "input")).toEqual({ scheme, body, params: [] });
  });

  it("keeps the query of a URL", () => {
    expect(httpScheme.driverParams).toBe("url");
    expect(httpScheme.uri!({ url: "http://h/p?a=1&b=2" }, "output")).toEqual({
      scheme: "http",
      body: "//h/p",
      params: [
        ["a", "1"],
        ["b", "2"],
      ],
    });
  });

  it("is not made of what belongs to the other scheme", () => {
    expect(httpScheme.uri!({ url: "https://h" }, "output")).toBeUndefined();
    expect(httpsScheme.uri!({ url: "h:1" }, "input")).toBeUndefined();
  });
});
