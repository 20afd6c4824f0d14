import { isMqbError } from "@mqb/core/plugin";
import { type JsonPath, parsePath } from "@mqb/json";
import { errors } from "../errors.ts";
import type { Builtin } from "./builtin.ts";
import { Decayed, Ema, type Fading, Spread } from "./fading.ts";
import { Chosen, Count, greatest, least, Mean, newest, Sum } from "./plain.ts";

interface Form {
  /** As it is to be written, for errors. */
  readonly form: string;
  readonly inputs: number;
  make(inputs: readonly string[]): Builtin;
}

/** In seconds. */
const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

/** Every value counts alike, however old. */
const NEVER: Fading = { alpha: 0 };

const FORMS = new Map<string, Form>([
  ["count", { form: "count", inputs: 0, make: () => new Count() }],
  ["sum", of("sum", (path) => new Sum(path))],
  ["min", of("min", (path) => new Chosen(path, least))],
  ["max", of("max", (path) => new Chosen(path, greatest))],
  ["last", of("last", (path) => new Chosen(path, newest))],
  ["mean", of("mean", (path) => new Mean(path))],
  ["stddev", of("stddev", (path) => new Spread(path, NEVER, "stddev"))],
  ["variance", of("variance", (path) => new Spread(path, NEVER, "variance"))],
  ["ema", fadingOf("ema", (path, fading) => new Ema(path, fading))],
  ["ema_stddev", fadingOf("ema_stddev", (path, fading) => new Spread(path, fading, "stddev"))],
  ["ema_variance", fadingOf("ema_variance", (path, fading) => new Spread(path, fading, "variance"))],
  [
    "decayed_count",
    {
      form: "decayed_count(half-life)",
      inputs: 1,
      make: ([halfLife]) => new Decayed(undefined, readHalfLife(halfLife!)),
    },
  ],
  [
    "decayed_sum",
    {
      form: "decayed_sum(path, half-life)",
      inputs: 2,
      make: ([path, halfLife]) => new Decayed(readPath(path!), readHalfLife(halfLife!)),
    },
  ],
]);

/** Reads `sum(reading)`. Throws a `config` error that names the field of the configuration. */
export function parseBuiltin(field: string, written: string): Builtin {
  const refuse = (reason: string): Error => errors.FIELD({ field, written, reason });
  const [, name, inside] = /^\s*([A-Za-z_]\w*)\s*(?:\(([^()]*)\)\s*)?$/.exec(written) ?? [];
  if (name === undefined) throw refuse("it must be a name, or name(input, …)");
  const form = FORMS.get(name);
  if (!form) throw refuse(`${name} is unknown; there are: ${[...FORMS.keys()].join(", ")}`);
  const inputs = inside === undefined || inside.trim() === "" ? [] : inside.split(",").map((input) => input.trim());
  if (inputs.length !== form.inputs || inputs.includes("")) throw refuse(`${name} is written ${form.form}`);
  try {
    return form.make(inputs);
  } catch (error) {
    if (error instanceof Fault) throw refuse(error.message);
    throw isMqbError(error) ? refuse(error.message) : error;
  }
}

class Fault extends Error {}

function of(name: string, make: (path: JsonPath) => Builtin): Form {
  return { form: `${name}(path)`, inputs: 1, make: ([path]) => make(readPath(path!)) };
}

function fadingOf(name: string, make: (path: JsonPath, fading: Fading) => Builtin): Form {
  const form = `${name}(path, alpha or half-life)`;
  return { form, inputs: 2, make: ([path, fading]) => make(readPath(path!), readFading(fading!)) };
}

function readPath(text: string): JsonPath {
  return parsePath(text);
}

function readFading(text: string): Fading {
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return { halfLife: readHalfLife(text) };
  const alpha = Number(text);
  if (alpha > 0 && alpha <= 1) return { alpha };
  throw new Fault(`alpha is ${text}, and must be 0 < alpha <= 1; a half-life has a unit: ${text}m`);
}

function readHalfLife(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*([A-Za-z]*)$/.exec(text) ?? [];
  const units = Object.keys(UNITS).join(", ");
  if (amount === undefined) throw new Fault(`"${text}" is no half-life such as 5m; the units are ${units}`);
  const size = Object.hasOwn(UNITS, unit!) ? UNITS[unit!]! : undefined;
  if (size === undefined) throw new Fault(`the half-life "${text}" needs one of the units ${units}`);
  const seconds = Number(amount) * size;
  if (!(seconds > 0 && Number.isFinite(seconds))) throw new Fault(`the half-life "${text}" must be more than 0`);
  return seconds;
}
