import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type CheckContext, defineMiddleware, type Finding, isMqbError, type OpenContext } from "@mqb/core/plugin";
import { type JsonValue, parseJson } from "@mqb/json";
import { type TransformSettings, transformSchema } from "./config.ts";
import { transformReceived } from "./consumer.ts";
import { errors } from "./errors.ts";
import { ExpressionStage } from "./expression.ts";
import { jsonValueOf } from "./json-value.ts";
import { checkRule, compileMapping } from "./mapping.ts";
import { transformSent } from "./publisher.ts";
import { type CompiledSchema, compileSchema } from "./schema/compile.ts";
import { type SchemaOptions, SchemaStage } from "./schema/stage.ts";
import { Transformer } from "./transformer.ts";

export const transform = defineMiddleware({
  description: "Reshapes JSON: a mapping, an expression and a schema that converts and checks, in this order",
  schema: transformSchema,
  keepsNothing: true,
  async input(inner, settings, context) {
    const transformer = await open(settings, context);
    return transformer ? transformReceived(inner, transformer, context) : inner;
  },
  async output(inner, settings, context) {
    const transformer = await open(settings, context);
    return transformer ? transformSent(inner, transformer, context.below) : inner;
  },
  check,
});

/** Undefined when nothing is to be done: the payload is not even looked at then. */
async function open(settings: TransformSettings, context: OpenContext): Promise<Transformer | undefined> {
  const { mapping, expression, on_error } = settings;
  const schema = await schemaOf(settings, context);
  const stages = {
    mapping: mapping && Object.keys(mapping).length > 0 ? compileMapping(mapping) : undefined,
    expression: expression == null ? undefined : new ExpressionStage(expression, context.expressions()),
    schema: schema && new SchemaStage(schema.node, optionsOf(settings)),
  };
  if (!stages.mapping && !stages.expression && !stages.schema) return undefined;
  return new Transformer(stages, on_error ?? "reject");
}

async function schemaOf(settings: TransformSettings, context: OpenContext): Promise<CompiledSchema | undefined> {
  const { schema, schema_file: file } = settings;
  if (schema != null) return compileSchema(jsonValueOf(schema), optionsOf(settings));
  if (file == null) return undefined;
  const compiled = compileSchema(await readSchema(file, context), optionsOf(settings), file);
  if (compiled.ignored.length > 0)
    context.log.info(errors.SCHEMA_IGNORED({ keywords: compiled.ignored }).message, { route: context.route });
  return compiled;
}

/** Reads the file once for the life of the route: a reconnect does not change what the route does. */
async function readSchema(file: string, { baseDir, session }: OpenContext): Promise<JsonValue> {
  const known = session.get("schema") as JsonValue | undefined;
  if (known !== undefined) return known;
  let bytes: Buffer;
  try {
    bytes = await readFile(resolve(baseDir, file));
  } catch (cause) {
    throw errors.SCHEMA_FILE({ file }, { cause });
  }
  let schema: JsonValue;
  try {
    schema = parseJson(bytes);
  } catch (cause) {
    throw errors.SCHEMA_FILE_JSON({ file }, { cause });
  }
  session.set("schema", schema);
  return schema;
}

/** Looks at no file: that of the schema may be on another machine. */
function check(settings: TransformSettings, context: CheckContext): readonly Finding[] {
  const findings: Finding[] = [];
  const attempt = (path: readonly string[], compile: () => void): void => {
    try {
      compile();
    } catch (error) {
      findings.push(findingOf(path, error));
    }
  };
  const { mapping, expression, schema, schema_file } = settings;
  if (schema != null && schema_file != null) findings.push(findingOf([], errors.TWO_SCHEMAS({})));
  for (const [key, rule] of Object.entries(mapping ?? {})) attempt(["mapping", key], () => checkRule(key, rule));
  if (expression != null) attempt(["expression"], () => context.expressions().evaluator(expression));
  if (schema != null) {
    attempt(["schema"], () => {
      const { ignored } = compileSchema(jsonValueOf(schema), optionsOf(settings));
      if (ignored.length === 0) return;
      findings.push({ ...findingOf(["schema"], errors.SCHEMA_IGNORED({ keywords: ignored })), level: "note" });
    });
  }
  return findings;
}

function findingOf(path: readonly string[], error: unknown): Finding {
  if (!isMqbError(error)) throw error;
  const { code, message, hint } = error;
  return { level: "error", path, code, message, ...(hint === undefined ? {} : { hint }) };
}

function optionsOf({ coerce, apply_defaults, coerce_empty_as_null }: TransformSettings): SchemaOptions {
  return {
    coerce: coerce ?? true,
    applyDefaults: apply_defaults ?? true,
    emptyAsNull: coerce_empty_as_null ?? false,
  };
}
