import { doubleText } from "@mqb/json";

/** Object identifiers of built-in types never change. */
const BOOL = 16;
const BYTEA = 17;
const INTEGERS = [20, 21, 23];
const FLOAT4 = 700;
const FLOAT8 = 701;
const JSONS = [114, 3802];
const BPCHAR = 1042;
/** Arrays of types whose elements have no comma in their text unless it is quoted, by the type of the element. */
const ARRAYS: Readonly<Record<number, number>> = {
  1000: BOOL,
  1001: BYTEA,
  1005: 21,
  1007: 23,
  1016: 20,
  1021: FLOAT4,
  1022: FLOAT8,
  199: 114,
  3807: 3802,
  1009: 25,
  1015: 25,
  1014: BPCHAR,
  1231: 25,
  1182: 25,
  1115: 25,
  1185: 25,
  2951: 25,
};

/** Writes rows of a result as JSON objects, as cursors write them. */
export class ResultJson {
  private readonly keys: readonly string[];
  private readonly types: readonly number[];

  constructor(fields: readonly { readonly name: string; readonly dataTypeID: number }[]) {
    this.keys = fields.map(({ name }) => JSON.stringify(name));
    this.types = fields.map(({ dataTypeID }) => dataTypeID);
  }

  text(row: readonly (string | null)[]): string {
    const members = this.keys.map((key, i) => `${key}:${valueText(row[i] ?? null, this.types[i]!)}`);
    return `{${members.join(",")}}`;
  }
}

function valueText(value: string | null, type: number): string {
  if (value === null) return "null";
  if (INTEGERS.includes(type) || JSONS.includes(type)) return value;
  switch (type) {
    case BOOL:
      return value === "t" ? "true" : "false";
    case FLOAT4:
    case FLOAT8:
      return floatText(value, type === FLOAT4);
    case BYTEA:
      return JSON.stringify(value.replace(/^\\x/, ""));
    case BPCHAR:
      return JSON.stringify(value.replace(/ +$/, ""));
    default:
      return Object.hasOwn(ARRAYS, type) ? arrayJson(value, ARRAYS[type]!) : JSON.stringify(value);
  }
}

function floatText(value: string, isSingle: boolean): string {
  const number = isSingle ? Math.fround(Number(value)) : Number(value);
  if (!Number.isFinite(number)) return "null";
  if (isSingle) return doubleText(number);
  return /^-?\d+$/.test(value) ? `${value}.0` : value;
}

/** `{1,NULL,"a\"b",{…}}` as a JSON array. */
function arrayJson(text: string, type: number): string {
  let at = text.indexOf("{");
  const read = (): string => {
    const items: string[] = [];
    at++;
    while (text[at] !== "}") {
      if (text[at] === "{") items.push(read());
      else if (text[at] === '"') items.push(valueText(quoted(), type));
      else {
        const end = /[,}]/g;
        end.lastIndex = at;
        const stop = end.exec(text)!.index;
        const item = text.slice(at, stop);
        items.push(item === "NULL" ? "null" : valueText(item, type));
        at = stop;
      }
      if (text[at] === ",") at++;
    }
    at++;
    return `[${items.join(", ")}]`;
  };
  const quoted = (): string => {
    let item = "";
    for (at++; text[at] !== '"'; at++) {
      if (text[at] === "\\") at++;
      item += text[at];
    }
    at++;
    return item;
  };
  return read();
}
