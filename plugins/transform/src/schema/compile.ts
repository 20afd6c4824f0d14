import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, writeJson } from "@mqb/json";
import { errors } from "../errors.ts";
import { keySegment } from "../field-path.ts";
import { Output } from "../output.ts";
import { type Member, Members } from "./members.ts";
import type { Content, EnumValues, SchemaNode, TypeName } from "./node.ts";
import { type SchemaOptions, SchemaStage } from "./stage.ts";

export interface CompiledSchema {
  readonly node: SchemaNode;
  /** Keywords that would check something and are not looked at, with their places. */
  readonly ignored: readonly string[];
}

const TYPES: readonly string[] = ["null", "boolean", "integer", "number", "string", "array", "object"];
const HONOURED: readonly string[] = [
  ...["type", "properties", "required", "default", "items", "nullable", "enum"],
  ...["contentMediaType", "contentSchema", "contentEncoding"],
];
/** These only describe. */
const ANNOTATIONS: readonly string[] = [
  ...["$schema", "$id", "$comment", "$anchor", "$defs", "$vocabulary", "definitions", "id", "title", "description"],
  ...["examples", "example", "deprecated", "readOnly", "writeOnly", "format", "xml", "externalDocs", "discriminator"],
];

/** Compiles a schema. Throws a `config` error that names the place in the schema; `file` is where it was read from. */
export function compileSchema(schema: JsonValue, options: SchemaOptions, file?: string): CompiledSchema {
  const compiler = new SchemaCompiler(options, file);
  const node = compiler.node(schema, "$");
  return { node, ignored: compiler.ignored };
}

class SchemaCompiler {
  readonly ignored: string[] = [];
  private readonly options: SchemaOptions;
  private readonly file: string | undefined;

  constructor(options: SchemaOptions, file: string | undefined) {
    this.options = options;
    this.file = file;
  }

  node(schema: JsonValue, path: string): SchemaNode {
    if (!isJsonObject(schema)) throw this.refuse(path, "a schema must be an object");
    for (const keyword of schema.keys()) {
      const known = HONOURED.includes(keyword) || ANNOTATIONS.includes(keyword) || keyword.startsWith("x-");
      if (!known) this.ignored.push(`${keyword} at ${path}`);
    }
    const { type, nullable } = this.type(schema, path);
    const items = schema.get("items");
    const node: SchemaNode = {
      type,
      nullable,
      enum: this.enum(schema, path),
      default: undefined,
      members: this.members(schema, path),
      items: items === undefined ? undefined : this.node(items, `${path}[]`),
      content: this.content(schema, path),
    };
    const fallback = schema.get("default");
    if (fallback !== undefined) node.default = this.default(node, fallback, path);
    return node;
  }

  private type(schema: JsonObject, path: string): Pick<SchemaNode, "type" | "nullable"> {
    const written = schema.get("type");
    const names = written === undefined ? [] : isJsonArray(written) ? written : [written];
    for (const name of names) {
      if (typeof name !== "string") throw this.refuse(path, "its type must be a text or a list of texts");
      if (!TYPES.includes(name)) throw this.refuse(path, `its type is "${name}"; there are: ${TYPES.join(", ")}`);
    }
    const types = (names as TypeName[]).filter((name) => name !== "null");
    if (types.length > 1) throw this.refuse(path, `its type lists more than one beside null: ${types.join(", ")}`);
    // An empty list is how the original reads it: any type, and null.
    const listed = written === "null" || (isJsonArray(written) && (names.length === 0 || names.includes("null")));
    return {
      type: types[0] ?? (written === "null" ? "null" : undefined),
      nullable: listed || schema.get("nullable") === true,
    };
  }

  private enum(schema: JsonObject, path: string): EnumValues | undefined {
    const values = schema.get("enum");
    if (values === undefined) return undefined;
    if (!isJsonArray(values)) throw this.refuse(path, "its enum must be a list");
    const written = values.map((value) => writeJson(value));
    return { values, written, text: writeJson(values).toString() };
  }

  private members(schema: JsonObject, path: string): Members | undefined {
    const properties = schema.get("properties") ?? new Map<string, JsonValue>();
    const required = schema.get("required") ?? [];
    if (!isJsonObject(properties)) throw this.refuse(path, "its properties must be an object");
    if (!isJsonArray(required) || !required.every((key) => typeof key === "string"))
      throw this.refuse(path, "its required must be a list of texts");
    const keys = [...new Set([...properties.keys(), ...(required as readonly string[])])].sort((a, b) =>
      Buffer.compare(Buffer.from(a), Buffer.from(b)),
    );
    if (keys.length === 0) return undefined;
    const member = (key: string): Member => {
      const inside = properties.get(key);
      const node = inside === undefined ? undefined : this.node(inside, path + keySegment(key));
      return { key, node, required: required.includes(key) };
    };
    return new Members(keys.map(member));
  }

  private content(schema: JsonObject, path: string): Content | undefined {
    const media = schema.get("contentMediaType");
    if (media !== undefined && typeof media !== "string")
      throw this.refuse(path, "its contentMediaType must be a text");
    const inside = schema.get("contentSchema");
    // Compiled in any case: a fault in it is a fault.
    const node = inside === undefined ? undefined : this.node(inside, `${path}(content)`);
    return media !== undefined && isJsonMedia(media) && !schema.has("contentEncoding") ? { schema: node } : undefined;
  }

  private default(node: SchemaNode, value: JsonValue, path: string): Buffer {
    const written = writeJson(value);
    if (!this.options.applyDefaults) return written;
    const stage = new SchemaStage(node, this.options);
    const out = new Output(written.length);
    if (stage.apply(written, 0, written.length, out)) return out.since(0);
    const { path: at, text } = stage.failure!;
    throw errors.SCHEMA_DEFAULT({ path: `${path}${at.slice(1)}`, reason: text, file: this.file });
  }

  private refuse(path: string, reason: string): Error {
    return errors.SCHEMA({ path, reason, file: this.file });
  }
}

function isJsonMedia(media: string): boolean {
  const type = media.split(";", 1)[0]!.trim().toLowerCase();
  return type === "application/json" || type === "text/json" || type.endsWith("+json");
}
