import { inspect } from "node:util";
import { checkRoute, createRegistry } from "@mqb/core";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { TempDir } from "@mqb/testkit";
import { afterEach, describe, expect, it, vi } from "vitest";
import plugin from "../src/index.ts";
import { openKeyring } from "../src/keys/keyring.ts";
import { codeOf, inspectable } from "./inspecting.ts";
import { KEY, keyring, listOf, OTHER_KEY, opener, payloads, sealer, texts } from "./sealing.ts";

const registry = createRegistry([standard, file, plugin]);
const memory = { memory: { topic: "t" } };

afterEach(() => vi.unstubAllEnvs());

/** What the check says, at the middleware and at the file: `level CODE path: message`. */
function problems(encryption: unknown): string[] {
  const routes = [
    { input: memory, output: { ...memory, middlewares: [{ encryption }] } },
    { input: memory, output: { file: { path: "f", encryption } } },
  ];
  const [one, other] = routes.map((route) =>
    checkRoute(registry, "r", route).problems.map(
      ({ level, code, path, message }) =>
        `${level} ${code} ${path.slice(path.lastIndexOf("encryption")).join(".")}: ${message}`,
    ),
  );
  expect(other).toEqual(one);
  return one!;
}

describe("a key", () => {
  it.each([
    ["32 bytes in base64", KEY],
    ["with spaces around it", ` ${KEY}\n`],
  ])("is taken: %s", (_, key) => {
    expect(problems({ key })).toEqual([]);
  });

  it.each([
    ["too short", "c2hvcnQ=", "KEY_LENGTH encryption.key: key holds 5 bytes in base64; a key has 32 bytes"],
    ["too long", Buffer.alloc(33).toString("base64"), "KEY_LENGTH encryption.key: key holds 33 bytes"],
    ["not base64", "geheim geheim!", "KEY_TEXT encryption.key: key is not base64 of 32 bytes"],
    ["base64 without its end", KEY.slice(0, -1), "KEY_TEXT encryption.key"],
    ["base64 for URLs", KEY.replace("A", "-"), "KEY_TEXT encryption.key"],
    ["empty", "", "KEY_TEXT encryption.key"],
    ["part of a text", `x\${env:MQB_TEST_KEY}`, "KEY_TEXT encryption.key"],
  ])("is refused at the check: %s", (_, key, says) => {
    const [one, ...more] = problems({ key });
    expect(more).toEqual([]);
    expect(one).toContain(`error MQB_ENCRYPTION_${says}`);
    if (key.trim() !== "") expect(one).not.toContain(key);
  });

  it("is read from the environment", () => {
    vi.stubEnv("MQB_TEST_KEY", OTHER_KEY);
    expect(problems({ key: "${env:MQB_TEST_KEY}" })).toEqual([]);
    const sealed = sealer({ key: "${env:MQB_TEST_KEY}" }).seal(listOf(["x"])).batch;
    expect(texts(opener({ key: OTHER_KEY }).open(sealed).batch)).toEqual(["x"]);
    vi.stubEnv("MQB_TEST_KEY", "AAAA");
    expect(problems({ key: "${env:MQB_TEST_KEY}" })).toEqual([
      "error MQB_ENCRYPTION_KEY_LENGTH encryption.key: key holds 3 bytes in base64; a key has 32 bytes",
    ]);
    vi.stubEnv("MQB_TEST_KEY", undefined);
    expect(problems({ key: "${env:MQB_TEST_KEY}" })).toEqual([
      "error MQB_ENCRYPTION_KEY_VARIABLE encryption.key: key is read from the environment variable MQB_TEST_KEY, which is not set",
    ]);
  });

  it("is read from a file, as base64 or as its bytes, when the route starts", async () => {
    await using dir = await TempDir.make();
    const bytes = Buffer.from(OTHER_KEY, "base64");
    const sealed = sealer({ key: OTHER_KEY }).seal(listOf(["x"])).batch;
    for (const content of [`${OTHER_KEY}\n`, bytes]) {
      await dir.write("key", content);
      const own = openKeyring({ cipher: "aes256gcm", key_id: "k", key: "${file:key}" }, dir.path).own;
      const copied = Buffer.alloc(32);
      own.copyTo(copied, 0);
      expect(copied).toEqual(bytes);
    }
    expect(payloads(sealed)).toHaveLength(1);
    await dir.write("key", "AAAA");
    expect(() => openKeyring({ cipher: "aes256gcm", key_id: "k", key: "${file:key}" }, dir.path)).toThrow("3 bytes");
    expect(() => openKeyring({ cipher: "aes256gcm", key_id: "k", key: "${file:nokey}" }, dir.path)).toThrow(
      "key is read from the file nokey, which cannot be read",
    );
    // It may be on another machine than the one that checks.
    expect(problems({ key: "${file:nokey}" })).toEqual([]);
  });

  it("that is listed is looked at like the own one", () => {
    expect(problems({ key: KEY, decrypt_keys: { old: "zzz", older: "AAAA", fine: OTHER_KEY } })).toEqual([
      "error MQB_ENCRYPTION_KEY_TEXT encryption.decrypt_keys.old: decrypt_keys.old is not base64 of 32 bytes",
      "error MQB_ENCRYPTION_KEY_LENGTH encryption.decrypt_keys.older: decrypt_keys.older holds 3 bytes in base64; a key has 32 bytes",
    ]);
  });

  it.each([
    ["an empty name", ""],
    ["a name that is too long", "ä".repeat(128)],
  ])("has a name of 1 to 255 bytes, not %s", (_, id) => {
    expect(problems({ key: KEY, key_id: id })).toEqual([
      expect.stringContaining("error MQB_ENCRYPTION_KEY_ID encryption.key_id: key_id has"),
    ]);
    expect(problems({ key: KEY, decrypt_keys: { [id]: KEY } })).toEqual([
      expect.stringContaining("error MQB_ENCRYPTION_KEY_ID encryption.decrypt_keys."),
    ]);
    expect(problems({ key: KEY, key_id: "ä".repeat(127) })).toEqual([]);
  });

  it("that the own one hides is warned of", () => {
    expect(problems({ key: KEY, key_id: "k", decrypt_keys: { k: OTHER_KEY } })).toEqual([
      expect.stringContaining("warning MQB_ENCRYPTION_KEY_SHADOWED encryption.decrypt_keys.k"),
    ]);
    expect(problems({ key: KEY, key_id: "k", decrypt_keys: { k: KEY } })).toEqual([]);
  });

  it("shows itself to nobody", () => {
    const hex = Buffer.from(KEY, "base64").toString("hex");
    for (const shown of [inspectable(keyring()), inspect(sealer(), { depth: 9 }), inspect(opener(), { depth: 9 })]) {
      expect(shown).not.toContain(KEY);
      expect(shown.replaceAll(/[\s,"<>]|0x/g, "")).not.toContain(hex.slice(0, 16));
    }
  });
});

it("an error of a key is a config error with a code", () => {
  try {
    keyring({ key: "AAAA" });
    expect.unreachable();
  } catch (error) {
    expect(codeOf(error)).toBe("MQB_ENCRYPTION_KEY_LENGTH");
    expect(error).toMatchObject({ kind: "config" });
  }
});
