import { type Clock, type ExpressionCompiler, isMqbError, type MqbError } from "@mqb/core/plugin";
import { type JsonPath, parsePath } from "@mqb/json";
import type { Builtin } from "./builtin/builtin.ts";
import { parseBuiltin } from "./builtin/parse.ts";
import type { AggregateSettings, EntrySettings } from "./config.ts";
import { errors } from "./errors.ts";
import type { Entry } from "./folder.ts";
import { compileKey, type Key } from "./key.ts";
import { ExpressionKind } from "./kinds/expression.ts";
import { FieldsKind } from "./kinds/fields.ts";
import type { Kind } from "./kinds/kind.ts";
import { Paths } from "./paths.ts";

export interface Entries {
  readonly entries: readonly Entry[];
  readonly paths: Paths;
  /** Of the field `time`; -1 = there is none. */
  readonly timeSlot: number;
}

/** Told of each fault and where it stands in the configuration. One that throws stops at the first. */
type Refuse = (error: MqbError, path: readonly (string | number)[]) => void;

/** Compiles what is written, as far as it can be. */
export function compileEntries(
  settings: AggregateSettings,
  clock: Clock,
  refuse: Refuse,
  expressions: () => ExpressionCompiler,
): Entries {
  const compiler = new EntryCompiler(settings, clock, refuse, expressions);
  return compiler.all();
}

type Written = { readonly [K in keyof EntrySettings]?: EntrySettings[K] | null | undefined };

class EntryCompiler {
  private readonly settings: AggregateSettings;
  private readonly clock: Clock;
  private readonly refuse: Refuse;
  private readonly expressions: () => ExpressionCompiler;
  private readonly paths = new Paths();
  private readonly entries: Entry[] = [];

  constructor(settings: AggregateSettings, clock: Clock, refuse: Refuse, expressions: () => ExpressionCompiler) {
    this.settings = settings;
    this.clock = clock;
    this.refuse = refuse;
    this.expressions = expressions;
  }

  all(): Entries {
    const { key, entries, time } = this.settings;
    const timePath = time == null ? undefined : this.attempt(["time"], () => parsePath(time));
    const timeSlot = timePath ? this.paths.slot(timePath) : -1;
    if (key != null) this.add(this.settings, []);
    else this.withoutKey();
    for (const [index, entry] of (entries ?? []).entries()) this.add(entry, ["entries", index]);
    return { entries: this.entries, paths: this.paths, timeSlot };
  }

  private withoutKey(): void {
    const { entries } = this.settings;
    if ((entries ?? []).length === 0) {
      this.refuse(errors.NO_ENTRY({}), []);
      return;
    }
    for (const field of ["expression", "fields", "output", "into", "emit"] as const) {
      if (this.settings[field] != null) this.refuse(errors.WITHOUT_KEY({ field }), [field]);
    }
  }

  private add(written: Written, at: readonly (string | number)[]): void {
    const { key, into, emit, fields, expression, output } = written;
    const previous = emit === "previous";
    if (into == null) {
      this.refuse(errors.NO_INTO({}), at);
      return;
    }
    const compiledKey = this.attempt<Key>([...at, "key"], () => compileKey(key!, this.paths, this.clock));
    const path = this.attempt([...at, "into"], () => this.intoPath(into));
    const kind = this.kind(into, previous, { fields, expression, output }, at);
    if (!compiledKey || !path || !kind) return;
    const slot = this.paths.slot(path.slice(0, 1));
    const way = path.slice(0, -1).map((_, steps) => this.paths.slot(path.slice(0, steps + 1)));
    this.entries.push({ into, path, key: compiledKey, kind, previous, slot, way });
  }

  private kind(
    into: string,
    previous: boolean,
    { fields, expression, output }: Pick<Written, "fields" | "expression" | "output">,
    at: readonly (string | number)[],
  ): Kind | undefined {
    if (fields != null && expression != null) return this.fault(errors.BOTH({}), [...at, "expression"]);
    if (fields != null) {
      if (Object.keys(fields).length === 0) return this.fault(errors.NOTHING_TO_COMPUTE({}), [...at, "fields"]);
      if (output != null) return this.fault(errors.OUTPUT_OF_FIELDS({}), [...at, "output"]);
      return this.fields(fields, into, at);
    }
    if (expression == null) return this.fault(errors.NOTHING_TO_COMPUTE({}), at);
    const compiler = this.expressions();
    const state = ["state"];
    if (output != null && !this.attempt([...at, "output"], () => compiler.computation(output, state))) return undefined;
    const make = (): Kind => new ExpressionKind(expression, output ?? undefined, into, previous, compiler);
    return this.attempt([...at, "expression"], make);
  }

  private fields(
    written: Readonly<Record<string, string>>,
    into: string,
    at: readonly (string | number)[],
  ): Kind | undefined {
    const builtins = new Map<string, Builtin>();
    let sound = true;
    for (const [name, text] of Object.entries(written)) {
      const builtin = this.attempt([...at, "fields", name], () => parseBuiltin(name, text));
      if (builtin) builtins.set(name, builtin);
      else sound = false;
    }
    return sound ? (new FieldsKind(builtins, into, this.settings.time != null, this.paths) as Kind) : undefined;
  }

  private intoPath(into: string): JsonPath {
    const path = parsePath(into);
    const refuse = (reason: string): Error => errors.INTO({ into, reason });
    if (path.some((step) => typeof step === "number")) throw refuse("names a position of a list; write a field");
    const same = (other: Entry): boolean =>
      other.path.length === path.length && other.path.every((step, i) => step === path[i]);
    if (this.entries.some(same)) throw refuse("is the field of another entry too");
    return path;
  }

  private attempt<T>(path: readonly (string | number)[], compile: () => T): T | undefined {
    try {
      return compile();
    } catch (error) {
      if (!isMqbError(error)) throw error;
      return this.fault(error, path);
    }
  }

  private fault(error: MqbError, path: readonly (string | number)[]): undefined {
    this.refuse(error, path);
    return undefined;
  }
}
