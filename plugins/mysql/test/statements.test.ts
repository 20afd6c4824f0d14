import { describeError, kindOf } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { classify, isOfStatement } from "../src/client/classify.ts";
import { withTlsCode } from "../src/client/tls-code.ts";
import { readAddress, target } from "../src/client/url.ts";
import { bytesLiteral, quoteName, textLiteral } from "../src/literal.ts";
import { filled, statementsOf } from "../src/sink/statement.ts";

describe("a literal", () => {
  it("is in quotes where nothing in it can end the text, and in hex everywhere else", () => {
    expect(textLiteral('é ✓ \n" ` -- ;')).toBe("'é ✓ \n\" ` -- ;'");
    expect(textLiteral("O'Brien")).toBe("_utf8mb4 X'4f27427269656e'");
    expect(textLiteral("\\")).toBe("_utf8mb4 X'5c'");
    expect(textLiteral("a\u0000")).toBe("_utf8mb4 X'6100'");
  });

  it("of bytes is a string of bytes, never a number", () => {
    expect(bytesLiteral(Buffer.from("{}"))).toBe("_binary '{}'");
    expect(bytesLiteral(Buffer.from([0x31, 0xff]))).toBe("_binary X'31ff'");
    expect(bytesLiteral(Buffer.from("'"))).toBe("_binary X'27'");
    expect(bytesLiteral(new Uint8Array(0))).toBe("_binary ''");
  });

  it("of a name ends nowhere inside it", () => {
    expect(quoteName("a`; DROP TABLE x;--")).toBe("`a``; DROP TABLE x;--`");
  });
});

describe("statements of many rows", () => {
  const repeated = {
    head: "INSERT INTO t VALUES ",
    row: ["(", 0, ",", 1, ")"],
    tail: " ON DUPLICATE KEY UPDATE a = a",
  };
  const session = (maxPacket: number) => ({ maxPacket }) as Parameters<typeof statementsOf>[2];

  it("are as few as the server takes, each whole", () => {
    const rows = Array.from({ length: 10 }, (_, i) => [`${i}`, `'${"x".repeat(40)}'`]);
    expect(statementsOf(repeated, rows, session(1 << 20), "db")).toHaveLength(1);
    const several = statementsOf(repeated, rows, session(800), "db");
    expect(several.length).toBeGreaterThan(1);
    for (const sql of several) {
      expect(sql.length).toBeLessThan(800);
      expect(sql).toMatch(/^INSERT INTO t VALUES \(.*\) ON DUPLICATE KEY UPDATE a = a$/);
    }
    expect(several.join("").match(/x{40}/g)).toHaveLength(10);
  });

  it("refuse a row that is longer than the server takes, before anything is sent", () => {
    const rows = [["1", `'${"é".repeat(500)}'`]];
    expect(() => statementsOf(repeated, rows, session(800), "db")).toThrow(
      /1\d{3} bytes is longer than max_allowed_packet \(800\)/,
    );
  });

  it("have NULL where there is no value", () => {
    expect(filled(["(", 1, ",", 0, ")"], [null, "2"])).toBe("(2,NULL)");
  });
});

describe("a URL", () => {
  it("says who, where and how", () => {
    expect(readAddress("mariadb://us%40er:p%2Fw@[::1]:3307/shop?ssl-mode=verify_ca&ssl-ca=ca.pem")).toMatchObject({
      host: "::1",
      port: 3307,
      database: "shop",
      username: "us@er",
      password: "p/w",
      sslMode: "VERIFY_CA",
      sslCa: "ca.pem",
    });
    expect(readAddress("mysql://h")).toMatchObject({ port: 3306, database: undefined, sslMode: undefined });
    expect(readAddress("mysql:///shop?socket=/run/mysqld.sock")).toMatchObject({ socket: "/run/mysqld.sock" });
  });

  it.each([
    ["mysql:shop", "host"],
    ["mysql://h/a/b", "slash"],
    ["mysql://h/d?ssl-mode=sometimes", "ssl-mode"],
    ["mysql://h/d?charset=latin1", "charset"],
    ["mysql://h:port/d", "URL"],
    ["mysql://h/d?ssl-ca=ca.pem", "ssl-mode=VERIFY_CA"],
    ["mysql://h/d?ssl-ca=ca.pem&ssl-mode=REQUIRED", "ssl-mode=VERIFY_CA"],
    ["mysql://h/d?ssl-cert=a.pem", "ssl-key"],
    ["mysql://h/d?ssl-key=a.key&ssl-mode=VERIFY_CA", "ssl-cert"],
  ])("that cannot be meant is told: %s", (url, named) => {
    expect(readAddress(url)).toContain(named);
  });

  it.each(["/", "?", "#"])("shows nothing of a password with a %s that is not encoded", (sign) => {
    for (const password of [`12${sign}geheim`, `12${sign}a/geheim`, `12${sign}a?geheim=1`]) {
      const url = `mysql://user:${password}@db/shop`;
      expect(readAddress(url)).toContain("percent-encoded");
      expect(readAddress(url)).not.toContain("geheim");
      expect(target(url)).toBe("mysql");
    }
  });

  it("is shown without its credentials", () => {
    expect(target("mysql://user:secret@h/shop")).toBe("mysql://h:3306/shop");
  });
});

describe("an error of the server", () => {
  const error = (errno: number, sqlState: string) => Object.assign(new Error("x"), { errno, sqlState });
  it.each([
    ["a duplicate key", error(1062, "23000"), "permanent"],
    ["a value that is cut", error(1265, "01000"), "permanent"],
    ["a wrong value", error(1366, "22007"), "permanent"],
    ["a check", error(4025, "23000"), "permanent"],
    ["a text that is no JSON", error(3140, "22032"), "permanent"],
    ["a signal of a trigger", error(1644, "45000"), "permanent"],
    ["a signal that asks for another try", error(1644, "40001"), "retryable"],
    ["a missing table", error(1146, "42S02"), "permanent"],
    ["a deadlock", error(1213, "40001"), "retryable"],
    ["a lock that was waited for", error(1205, "HY000"), "retryable"],
    ["too many connections of the user", error(1203, "42000"), "retryable"],
    ["a limit of the user", error(1226, "42000"), "retryable"],
    ["too many prepared statements", error(1461, "42000"), "retryable"],
    ["a view that takes no rows", error(1471, "HY000"), "permanent"],
    ["a view that is not updatable", error(1288, "HY000"), "permanent"],
    ["a column that is not updatable", error(1348, "HY000"), "permanent"],
    ["a view over several tables", error(1394, "HY000"), "permanent"],
    ["a full table", error(1114, "HY000"), "retryable"],
    ["a server that reads only", error(1290, "HY000"), "retryable"],
    ["too many connections", error(1040, "08004"), "connection"],
    ["a shutdown", error(1053, "08S01"), "connection"],
    ["a killed connection", error(1927, "70100"), "connection"],
    ["a wrong password", error(1045, "28000"), "config"],
    ["an unknown database", error(1049, "42000"), "config"],
    ["no database", error(1046, "3D000"), "config"],
    [
      "a lost connection",
      Object.assign(new Error("x"), { code: "PROTOCOL_CONNECTION_LOST", fatal: true }),
      "connection",
    ],
    ["a refused connection", Object.assign(new Error("x"), { code: "ECONNREFUSED", errno: -111 }), "connection"],
  ])("has the kind that the route needs: %s", (_, thrown, kind) => {
    expect(kindOf(classify(thrown, "db"), "end")).toBe(kind);
  });

  it("is no fault of the statement when the server is only busy", () => {
    expect(isOfStatement(error(1461, "42000"))).toBe(false);
    expect(isOfStatement(error(1226, "42000"))).toBe(false);
    expect(isOfStatement(error(1064, "42000"))).toBe(true);
  });

  it.each([
    ["Duplicate entry 'geheim' for key 'email'", 1062, "23000", "Duplicate entry '…' for key 'email'"],
    ["Duplicate entry 'a' for key 'geheim' for key 'email'", 1062, "23000", "Duplicate entry '…' for key 'email'"],
    [
      "Incorrect integer value: 'O'geheim' for column `d`.`t`.`c` at row 1",
      1366,
      "22007",
      "Incorrect integer value: '…' for column `d`.`t`.`c` at row 1",
    ],
    [
      "Incorrect integer value: 'geheim\n' for column 'c' at row 1",
      1366,
      "HY000",
      "Incorrect integer value: '…' for column 'c' at row 1",
    ],
    ["Truncated incorrect DOUBLE value: 'geheim'", 1292, "22007", "Truncated incorrect DOUBLE value: '…'"],
    [
      "You have an error in your SQL syntax; check the manual near ''geheim', 'b')' at line 1",
      1064,
      "42000",
      "You have an error in your SQL syntax; check the manual near '…' at line 1",
    ],
    ["BIGINT value is out of range in '('geheim' + 1)'", 1690, "22003", "BIGINT value is out of range in '…'"],
    ["Table has no partition for value geheim", 1526, "HY000", "Table has no partition for value …"],
  ])("shows no value of a row, in its causes neither: %s", (message, errno, sqlState, shown) => {
    const thrown = Object.assign(new Error(message), { errno, sqlState, sql: message });
    const told = classify(thrown, "db");
    expect(describeError(told)).toBe(`db refused it: ${shown}`);
    expect(told.cause).toMatchObject({ errno, sqlState });
  });

  it("of a handshake keeps the name that Node gives it", () => {
    const failed = (message: string, reason?: string) =>
      Object.assign(new Error(message), { code: "HANDSHAKE_SSL_ERROR", reason });
    const code = (thrown: unknown) => (withTlsCode(thrown) as { code: string }).code;
    expect(code(failed("self-signed certificate"))).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
    expect(code(failed("Hostname/IP does not match certificate's altnames: x"))).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
    expect(code(failed("error:0A00010B", "wrong version number"))).toBe("ERR_SSL_WRONG_VERSION_NUMBER");
    const other = new Error("x");
    expect(withTlsCode(other)).toBe(other);
  });
});
