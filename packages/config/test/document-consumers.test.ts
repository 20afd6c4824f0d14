import { createRegistry } from "@mqb/core";
import { defineEndpoint, definePlugin } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { checkConfiguration, loadConfiguration } from "../src/index.ts";
import { fakeRegistry } from "./fake-plugin.ts";
import { checkText, DEFAULTS } from "./support-load.ts";

const routes = (text: string) =>
  checkText(text).configuration.routes.map(({ name, enabled, config }) => ({ name, enabled, config }));
const PUBLISHERS = `publishers:
  - {id: p-1, name: sink, endpoint: {file: {path: out}}, comment: c, payload: x, headers: [{key: a, value: b}], sort_order: 1}
  - {name: other, endpoint: {db: {url: u}}}
`;

describe("a consumer", () => {
  it("is a route to nowhere with mode none, or without an output", () => {
    expect(
      routes(
        "consumers:\n  - {name: a, endpoint: {file: {path: p}}, output: {mode: none}}\n  - {id: b, endpoint: {file: {path: p}}}",
      ),
    ).toEqual([
      { name: "a", enabled: true, config: { input: { file: { path: "p" } }, output: null } },
      { name: "b", enabled: true, config: { input: { file: { path: "p" } }, output: null } },
    ]);
  });

  it("is a route to a publisher, found by name or id", () => {
    const text = `${PUBLISHERS}consumers:
  - {name: a, endpoint: {file: {path: p}}, output: {mode: publisher, publisher: sink}}
  - {name: b, endpoint: {file: {path: p}}, output: {mode: publisher, publisher: gone, publisher_id: p-1}}
  - {name: c, endpoint: {file: {path: p}}, output: {mode: publisher, publisher: other}}
`;
    expect(checkText(text).lines).toEqual([]);
    expect(routes(text).map(({ config }) => (config as { output: unknown }).output)).toEqual([
      { file: { path: "out" } },
      { file: { path: "out" } },
      { db: { url: "u" } },
    ]);
  });

  it("is a route that answers, with a text of its own or with the message", () => {
    const text = `consumers:
  - {name: a, endpoint: {file: {path: p}}, output: {mode: response, response: {payload: ok, headers: {x: y}}}}
  - {name: b, endpoint: {file: {path: p}}, response: {payload: old}}
  - {name: c, endpoint: {file: {path: p}}, output: {mode: response}}
`;
    expect(routes(text).map(({ config }) => (config as { output: unknown }).output)).toEqual([
      { static: { body: "ok", raw: true, metadata: { x: "y" } } },
      { static: { body: "old", raw: true } },
      { response: {} },
    ]);
  });

  it("takes the options of a route, and may be switched off", () => {
    expect(
      routes("consumers:\n  - {name: a, enabled: false, endpoint: {file: {path: p}}, batch_size: 3, comment: c}"),
    ).toEqual([{ name: "a", enabled: false, config: { input: { file: { path: "p" } }, output: null, batch_size: 3 } }]);
  });

  it("has its faults where they are written", () => {
    const text = `${PUBLISHERS.replace("path: out", "pth: out")}consumers:
  - name: a
    endpoint: {file: {path: p, formt: raw}}
    concurency: 1
    output: {mode: publisher, publisher: sink}
  - {name: b, endpoint: {file: {path: p}}, output: {mode: publisher, publisher: sink}}
`;
    expect(checkText(text).lines).toEqual([
      expect.stringMatching(/^c\.yml:2:45 publishers\[0\]\.endpoint\.file\.pth: .*did you mean "path"/),
      expect.stringMatching(/^c\.yml:6:32 consumers\[0\]\.endpoint\.file\.formt: .*did you mean "format"/),
      expect.stringMatching(/^c\.yml:7:5 consumers\[0\]\.concurency: .*did you mean "concurrency"/),
    ]);
  });

  it.each([
    [
      "{name: a, endpoint: {file: {path: p}}, output: {mode: publisher, publisher: snik}}",
      /there is no publisher called "snik"; did you mean "sink"\?/,
    ],
    ["{name: a, endpoint: {file: {path: p}}, output: {mode: publisher}}", /needs the field "publisher"/],
    [
      "{name: a, endpoint: {file: {path: p}}, output: {mode: publish}}",
      /"mode" of "output" takes none, publisher, response; did you mean "publisher"\?/,
    ],
    [
      "{name: a, endpoint: {file: {path: p}}, output: {mode: none, publisher: sink}}",
      /no field "publisher" with mode none/,
    ],
    ["{name: a, endpoint: {file: {path: p}}, output: sink}", /"output" of a consumer is a map with "mode"/],
    ["{name: a}", /the consumer "a" needs the field "endpoint"/],
    ["7", /a consumer is a map with "endpoint"/],
  ])("%s is refused", (consumer, message) => {
    expect(checkText(`${PUBLISHERS}consumers: [${consumer}]`).lines.join("\n")).toMatch(message);
  });

  it("cannot have the name of a route", () => {
    const text = "routes: {a: {input: {file: {path: p}}}}\nconsumers: [{name: a, endpoint: {file: {path: p}}}]";
    expect(checkText(text).lines).toEqual([
      expect.stringMatching(/^c\.yml:2:13 consumers\[0\]: there are two routes called "a", the first at routes\.a/),
    ]);
  });
});

describe("publishers", () => {
  it("may be a map of endpoints, and two of one name are refused", () => {
    const text = "publishers: {sink: {file: {path: $P}}, b: {endpoint: {db: {url: u}}}}";
    const { checked } = checkText(text, { P: "07" });
    expect(checked.endpoints).toEqual({ sink: { file: { path: "07" } }, b: { db: { url: "u" } } });
    expect(checkText("publishers: [{name: a, endpoint: {}}, {name: a, endpoint: {}}]").lines[0]).toMatch(
      /two publishers called "a"/,
    );
  });

  it("are there for what refers to an endpoint by its name", () => {
    const ref = definePlugin({
      name: "ref",
      apiVersion: 1,
      endpoints: {
        ref: defineEndpoint({
          description: "",
          schema: { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } },
          output: {
            capabilities: () => ({ acknowledges: true, replies: false, orderedPublish: false, idempotent: false }),
            open: () => Promise.reject(new Error("never opened")),
          },
          children: (name, side, references) => [
            { path: String(name), side, endpoint: references.get(String(name)) ?? "gone" },
          ],
        }),
      },
    });
    const registry = createRegistry([...fakeRegistry().plugins, ref]);
    const text = "publishers: {sink: {file: {path: p}}}\nr: {input: {file: {path: p}}, output: {ref: sink}}";
    const configuration = loadConfiguration([{ name: "c", text, format: "yaml" }], {});
    const { routes } = checkConfiguration(configuration, registry, DEFAULTS);
    expect(routes[0]!.plan!.output.children[0]!.type).toBe("file");
  });
});

describe("what belongs to other hosts", () => {
  it("is accepted, with a note on what has no effect", () => {
    const text = `history: {a: []}
default_tab: consumers
extract_secrets: true
config_security: {mode: balanced}
consumers: [{name: a, endpoint: {file: {path: p}}, message_capture: {enabled: true, keep_last: 5}}]
`;
    const { checked } = checkText(text);
    expect(checked.problems.map(({ level, path }) => [level, path.join(".")])).toEqual([
      ["note", "history"],
      ["note", "default_tab"],
      ["note", "extract_secrets"],
      ["note", "config_security"],
      ["note", "consumers.0.message_capture"],
    ]);
  });

  it("an encrypted configuration is refused with what to do", () => {
    const text =
      "config_security: {mode: durable}\nencrypted_config: {v: 1, alg: AES-256-GCM, kid: k, nonce: n, ciphertext: c}";
    expect(checkText(text).lines).toContain(
      "c.yml:2:1 encrypted_config: this configuration is encrypted (config_security.mode is durable), and mqb reads only what is not; open it in mq-bridge-app, set config_security.mode to unencrypted or balanced, save it, and give mqb that file",
    );
    expect(checkText("config_security: {mode: durabel}").lines.at(-1)).toMatch(/did you mean "durable"\?/);
  });
});
