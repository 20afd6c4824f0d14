import { knownNames, packageFor } from "@mqb/config/uri";
import { nearest, ROUTE_FIELDS } from "@mqb/core";
import type { JsonSchema } from "@mqb/core/plugin";
import type { ParsedArgs } from "../args/parse.ts";
import type { CommandContext } from "../context.ts";
import { cliErrors } from "../errors.ts";
import { EXIT } from "../exit.ts";
import { jsonDocument } from "../json-document.ts";
import type { FoundPlugin } from "./discover.ts";
import { type Field, fieldsOf, typeOf } from "./fields.ts";
import { findPlugins, ORIGINS } from "./list.ts";
import { type PartSchema, type PluginSchema, schemaOf } from "./schema.ts";

const KINDS = ["endpoints", "middlewares", "stores", "schemes"] as const;
type Kind = (typeof KINDS)[number];
/** Words of a configuration that no plugin brings. */
const OWN_WORDS: readonly string[] = ["route", "routes", "middlewares", "consumers", "publishers", ...ROUTE_FIELDS];
const WHAT = { endpoints: "endpoint", middlewares: "middleware", stores: "store", schemes: "scheme" } as const;

/** `mqb plugins info NAME`: what a plugin brings with all its fields, or one endpoint, middleware, store or scheme. */
export async function pluginInfo(args: ParsedArgs, context: CommandContext): Promise<number> {
  const { output } = context;
  const [name] = args.positionals;
  if (name === undefined) {
    const hint = "mqb plugins info NAME: a package, an endpoint, a middleware, a store or a URI scheme";
    throw cliErrors.USAGE({ message: "there is no name to tell about", hint });
  }
  const found = await findPlugins(args, context);
  const parts: { readonly plugin: FoundPlugin; readonly schema: PluginSchema }[] = [];
  for (const plugin of matching(found, name)) {
    const schema = await schemaOf(plugin);
    parts.push({ plugin, schema: isNameOf(plugin, name) ? schema : only(schema, name) });
  }
  // A lone file, and a package without lists in its manifest, tell what they bring only when they are asked.
  const telling = parts.filter(({ plugin, schema }) => isNameOf(plugin, name) || !isEmpty(schema));
  if (telling.length === 0) throw unknown(name, found);
  if (args.has("json")) output.result(jsonDocument(telling.map(document), output.redactor));
  else output.result(telling.map(text).join("\n"));
  return EXIT.ok;
}

function matching(found: readonly FoundPlugin[], name: string): readonly FoundPlugin[] {
  const named = found.filter((plugin) => isNameOf(plugin, name));
  const brings = found.filter(
    (plugin) => !plugin.manifest || KINDS.some((kind) => plugin.manifest![kind].includes(name)),
  );
  return named.length > 0 ? named : brings.filter((plugin) => !plugin.problem);
}

function isNameOf(plugin: FoundPlugin, name: string): boolean {
  return plugin.name === name;
}

/** What of a plugin has this name; an alias is a name too. */
function only(schema: PluginSchema, name: string): PluginSchema {
  const kept = (kind: Kind): object =>
    Object.fromEntries(
      Object.entries(schema[kind]).filter(
        ([key, value]) => key === name || (value as Partial<PartSchema>).aliases?.includes(name),
      ),
    );
  return Object.fromEntries(KINDS.map((kind) => [kind, kept(kind)])) as unknown as PluginSchema;
}

function isEmpty(schema: PluginSchema): boolean {
  return KINDS.every((kind) => Object.keys(schema[kind]).length === 0);
}

function unknown(name: string, found: readonly FoundPlugin[]): Error {
  const kinds = Object.values(WHAT);
  const packages = new Set(kinds.flatMap((kind) => packageFor(kind, name) ?? []));
  const [first] = packages;
  if (first !== undefined) return cliErrors.PLUGIN_UNKNOWN({ name, hint: `install ${first}`, install: true });
  return cliErrors.PLUGIN_UNKNOWN({ name, hint: hintFor(name, found), install: false });
}

/** The nearest name, and how to get it; else those that are there. What is not installed is no answer to a question for it. */
function hintFor(name: string, found: readonly FoundPlugin[]): string {
  if (OWN_WORDS.includes(name)) return "it belongs to mqb itself: `mqb schema` writes what a whole configuration takes";
  const here = found.flatMap((plugin) => [plugin.name, ...KINDS.flatMap((kind) => plugin.manifest?.[kind] ?? [])]);
  const kinds = Object.values(WHAT);
  const near = nearest(name, [...here, ...kinds.flatMap((kind) => knownNames(kind))]);
  if (near === undefined) return `known: ${[...new Set(here)].sort().join(", ") || "none"}`;
  const from = here.includes(near) ? undefined : kinds.map((kind) => packageFor(kind, near)).find((one) => one);
  return `did you mean "${near}"?${from === undefined ? "" : ` install ${from}`}`;
}

function document({ plugin, schema }: { plugin: FoundPlugin; schema: PluginSchema }): object {
  const part = ({ schema: json, ...rest }: PartSchema): object => ({
    ...rest,
    written_as: json ? typeOf(json, json) : "any",
    fields: json ? fieldsOf(json) : [],
  });
  const mapped = <T>(record: Readonly<Record<string, T>>, map: (value: T) => object): object =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
  return {
    name: plugin.name,
    version: plugin.version ?? null,
    found: ORIGINS[plugin.origin],
    location: plugin.location,
    endpoints: mapped(schema.endpoints, part),
    middlewares: mapped(schema.middlewares, part),
    stores: schema.stores,
    schemes: schema.schemes,
  };
}

function text({ plugin, schema }: { plugin: FoundPlugin; schema: PluginSchema }): string {
  const version = plugin.version === undefined ? "" : ` ${plugin.version}`;
  const lines = [`${plugin.name}${version}  (${ORIGINS[plugin.origin]}, ${plugin.location})`];
  for (const kind of ["endpoints", "middlewares"] as const)
    for (const [name, part] of Object.entries(schema[kind])) lines.push("", ...partLines(WHAT[kind], name, part));
  for (const [name, { description, durable }] of Object.entries(schema.stores))
    lines.push("", `store ${name}:  ${description}${durable ? "" : "; gone when the process ends"}`);
  for (const [name, { endpoint }] of Object.entries(schema.schemes))
    lines.push("", `scheme ${name}:  makes the endpoint ${endpoint}`);
  return `${lines.join("\n")}\n`;
}

function partLines(what: string, name: string, part: PartSchema): string[] {
  const sides = [part.input && "input", part.output && "output"].filter(Boolean).join(" and ");
  const aliases = part.aliases.length > 0 ? `; also spelled ${part.aliases.join(", ")}` : "";
  const fields = part.schema ? fieldsOf(part.schema) : [];
  const whole = part.schema && fields.length === 0 ? [wholeForm(part.schema)] : [];
  return [`${what} ${name}  (${sides}${aliases})`, `  ${part.description}`, ...whole, ...fields.flatMap(fieldLines)];
}

function wholeForm(schema: JsonSchema): string {
  const type = typeOf(schema, schema);
  return type === "map" || type === "any" ? "    it takes no fields" : `    written as ${type}`;
}

function fieldLines(field: Field): string[] {
  const standard = field.default === undefined ? "" : `, default ${JSON.stringify(field.default)}`;
  const remarks = [
    field.description,
    field.aliases.length > 0 && `Also spelled ${field.aliases.join(", ")}.`,
    field.secret && "Secret: shown nowhere.",
    field.deprecated && "Deprecated.",
    field.examples.length > 0 && `Example: ${field.examples.map(exampleText).join(", ")}`,
  ].filter((remark): remark is string => typeof remark === "string" && remark !== "");
  const head = `    ${field.path}  ${field.type}${field.required ? ", required" : standard}`;
  return [head, ...remarks.map((remark) => `        ${remark}`)];
}

function exampleText(example: unknown): string {
  return typeof example === "string" && /^[\x20-\x7e]+$/.test(example) ? example : JSON.stringify(example);
}
