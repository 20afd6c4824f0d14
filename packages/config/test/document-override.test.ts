import { describe, expect, it } from "vitest";
import { originOf } from "../src/index.ts";
import { checkText } from "./support-load.ts";

const TEXT = `routes:
  orders:
    input: {file: {path: in, batch: 1}}
    output:
      file: {path: out}
      middlewares: [{retry: {max_attempts: 1}}, {retry: {}}]
`;
const input = (environment: Record<string, string>, text = TEXT) => checkText(text, environment).file;

describe("a variable MQB__A__B__C", () => {
  it("sets a value, written or not, whatever the case of its name", () => {
    expect(input({ MQB__ROUTES__ORDERS__INPUT__FILE__PATH: "other" })).toEqual({ path: "other", batch: 1 });
    expect(input({ mqb__routes__Orders__input__file__batch: "7" })).toEqual({ path: "in", batch: 7 });
    expect(input({ MQB__ROUTES__ORDERS__INPUT__FILE__FORMAT: "raw" })).toMatchObject({ format: "raw" });
  });

  it("begins with the route, too, as that of the library does", () => {
    expect(input({ MQB__ORDERS__INPUT__FILE__PATH: "other" })).toMatchObject({ path: "other" });
    expect(input({ MQB__ORDERS__INPUT__FILE__PATH: "b" }, "orders: {input: {file: {path: a}}}")).toEqual({ path: "b" });
    const bare = "input: {file: {path: a}}";
    expect(input({ MQB__INPUT__FILE__PATH: "b" }, bare)).toEqual({ path: "b" });
    expect(input({ MQB__ROUTE__INPUT__FILE__PATH: "b" }, bare)).toEqual({ path: "b" });
    expect(checkText(bare, { MQB__BATCH_SIZE: "3" }).checked.routes[0]!.config).toMatchObject({ batch_size: 3 });
  });

  it("has the type of its field: a text stays as it is", () => {
    expect(input({ MQB__ORDERS__INPUT__FILE__PATH: "012" })).toMatchObject({ path: "012" });
    expect(input({ MQB__ORDERS__INPUT__FILE__DELETE: "true" })).toMatchObject({ delete: true });
    expect(input({ MQB__ORDERS__INPUT__FILE__CSV: '{"separator": ";"}' })).toMatchObject({ csv: { separator: ";" } });
  });

  it("reaches entries of lists by number, and makes a list", () => {
    const { checked } = checkText(TEXT, {
      MQB__ORDERS__OUTPUT__MIDDLEWARES__1__RETRY__MAX_ATTEMPTS: "5",
      MQB__ORDERS__OUTPUT__MIDDLEWARES__2__RETRY__MAX_ATTEMPTS: "6",
      MQB__ORDERS__INPUT__FILE__COLUMNS__0: "a",
      MQB__ORDERS__INPUT__FILE__COLUMNS__1: "b",
    });
    expect(checked.routes[0]!.config).toMatchObject({
      input: { file: { columns: ["a", "b"] } },
      output: {
        middlewares: [{ retry: { max_attempts: 1 } }, { retry: { max_attempts: 5 } }, { retry: { max_attempts: 6 } }],
      },
    });
  });

  it("is left out when it is empty", () => {
    expect(input({ MQB__ORDERS__INPUT__FILE__PATH: "" })).toMatchObject({ path: "in" });
  });

  it("finds routes with a dash or two underscores in their name", () => {
    const text = "orders-to-nats: {input: {file: {path: a}}}\nx__y: {input: {file: {path: a}}}";
    expect(input({ MQB__ORDERS_TO_NATS__INPUT__FILE__PATH: "b" }, text)).toEqual({ path: "b" });
    const { checked } = checkText(text, { MQB__X__Y__INPUT__FILE__PATH: "b" });
    expect(checked.routes[1]!.config).toMatchObject({ input: { file: { path: "b" } } });
  });

  it("is refused when two names fit, and says which", () => {
    const text = "routes:\n  a-b: {input: {file: {path: p}}}\n  a_b: {input: {file: {path: p}}}";
    const { checked, lines } = checkText(text, { MQB__ROUTES__A_B__INPUT__FILE__PATH: "b" });
    expect(lines).toEqual([
      'MQB__ROUTES__A_B__INPUT__FILE__PATH: the variable may mean "a-b" and "a_b", which differ only in case, - and _; rename one of them, or write the name as it stands there',
    ]);
    expect(checked.problems[0]!.level).toBe("error");
    expect(checkText(text, { MQB__ROUTES__a_b__INPUT__FILE__PATH: "b" }).lines).toEqual([]);
  });

  it("is a warning with the nearest name when it sets nothing that is known", () => {
    const { checked, lines } = checkText(TEXT, {
      MQB__LOG_LEVLE: "debug",
      MQB__ROUTES__ORDRES__INPUT__FILE__PATH: "x",
      MQB__ROUTES__ORDERS__OUTPUT__MIDDLEWARES__9__RETRY__MAX_ATTEMPTS: "1",
    });
    expect(lines).toEqual([
      'MQB__LOG_LEVLE: the variable sets nothing: the configuration has no key "log_levle"; did you mean "log_level"?',
      'MQB__ROUTES__ORDERS__OUTPUT__MIDDLEWARES__9__RETRY__MAX_ATTEMPTS: the variable sets nothing: "routes.orders.output.middlewares" with 2 entries has no entry "9"',
      'MQB__ROUTES__ORDRES__INPUT__FILE__PATH: the variable sets nothing: "routes" has no route "ordres"; did you mean "orders"?',
    ]);
    expect(checked.problems.map((problem) => problem.level)).toEqual(["warning", "warning", "warning"]);
  });

  it("is not warned of when the document refers to it", () => {
    const text = "r: {input: {file: {path: '${MQB__OTHER__R__PATH}'}}}";
    const { file, lines } = checkText(text, { MQB__OTHER__R__PATH: "p" });
    expect([file, lines]).toEqual([{ path: "p" }, []]);
  });

  it("with a field that is not there is a fault that names the variable", () => {
    expect(checkText(TEXT, { MQB__ORDERS__INPUT__FILE__PTH: "x" }).lines).toEqual([
      'MQB__ORDERS__INPUT__FILE__PTH routes.orders.input.file.pth: "file" has no field "pth"; did you mean "path"?',
    ]);
  });

  it("makes a whole route, without a file", () => {
    const { file, lines } = checkText("", {
      MQB__ROUTES__NEW__INPUT__FILE__PATH: "a",
      MQB__ROUTES__NEW__OUTPUT__FILE__PATH: "b",
    });
    expect([file, lines]).toEqual([{ path: "a" }, []]);
  });

  it("sets what the application takes, and is where the value comes from", () => {
    const { configuration } = checkText("log_level: info", { MQB__LOG_LEVEL: "debug", MQB__PLUGINS__0: "./p.js" });
    expect(configuration.settings).toMatchObject({ logLevel: "debug", plugins: ["./p.js"] });
    expect(originOf(configuration, ["log_level"])).toBe("MQB__LOG_LEVEL");
  });

  it.each([
    "MQB____proto____polluted",
    "MQB__ROUTES____proto____input__x",
    "MQB__constructor__prototype__x",
    "MQB__",
    "MQB____",
  ])("%s changes nothing", (name) => {
    const { lines } = checkText(TEXT, { [name]: "yes" });
    expect(lines).toHaveLength(1);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(({} as Record<string, unknown>)["input"]).toBeUndefined();
  });
});
