/** @typedef {Readonly<Record<string, any>>} Schema a JSON Schema node */

/**
 * The options of a configuration as a Markdown table; nested ones follow with the path in front.
 * @param {Schema} schema
 */
export function optionsTable(schema) {
  const rows = [...optionRows(schema, "", schema, [])];
  if (rows.length === 0) return wholeForm(schema);
  const table = ["| Option | Type | Default | What it does |", "| --- | --- | --- | --- |", ...rows].join("\n");
  return `${shortForms(schema)}${table}\n`;
}

/**
 * @param {Schema} node
 * @param {string} path of the node, empty at the top
 * @param {Schema} root where `$ref` looks
 * @param {Schema[]} above the nodes on the way down: a schema may contain itself
 * @returns {Generator<string>}
 */
function* optionRows(node, path, root, above) {
  const schema = resolve(node, root);
  if (above.includes(schema)) return;
  const inside = [...above, schema];
  for (const part of alternatives(schema)) {
    if (part !== schema) yield* optionRows(part, path, root, inside);
  }
  if (schema["items"]) yield* optionRows(schema["items"], `${path}[]`, root, inside);
  if (isSchema(schema["additionalProperties"])) {
    yield* optionRows(schema["additionalProperties"], join(path, "*"), root, inside);
  }
  for (const [name, value] of Object.entries(schema["properties"] ?? {})) {
    const option = { ...resolve(value, root), ...value };
    const where = join(path, name);
    const required = schema["required"]?.includes(name) === true && !("default" in option);
    const standard = "default" in option ? code(JSON.stringify(option["default"])) : required ? "required" : "";
    yield `| ${code(where)} | ${typeOf(option, root)} | ${standard} | ${explain(option)} |`;
    yield* optionRows(value, where, root, inside);
  }
}

/**
 * @param {Schema} option
 * @returns {string}
 */
function explain(option) {
  const parts = [option["description"] ?? ""];
  const examples = option["examples"] ?? [];
  const aliases = option["aliases"] ?? [];
  if (aliases.length > 0) parts.push(`Also spelled ${aliases.map(code).join(", ")}.`);
  if (examples.length > 0)
    parts.push(`Example: ${examples.map((/** @type {unknown} */ one) => code(text(one))).join(", ")}.`);
  if (option["secret"] === true) parts.push("Secret: shown nowhere.");
  if (option["deprecated"] === true) parts.push("Deprecated.");
  return cell(
    parts
      .filter((part) => part !== "")
      .map(sentence)
      .join(" "),
  );
}

/**
 * @param {Schema} node
 * @param {Schema} root
 * @returns {string}
 */
function typeOf(node, root) {
  const schema = resolve(node, root);
  if ("const" in schema) return code(JSON.stringify(schema["const"]));
  if (schema["enum"]) return schema["enum"].map((/** @type {unknown} */ one) => code(JSON.stringify(one))).join(", ");
  const parts = alternatives(schema).filter((part) => part !== schema);
  if (schema["x-mqb-endpoint"]) return "endpoint";
  if (parts.length > 0) return oneOf(parts.map((part) => typeOf(part, root)));
  return oneOf([schema["type"] ?? "any"].flat().map((type) => typeName(type, schema, root)));
}

/**
 * An option that may be `null` may as well be left out, so that is not said.
 * @param {string[]} types
 */
function oneOf(types) {
  const said = [...new Set(types)].filter((type, _, all) => type !== "null" || all.length === 1);
  return said.join(" or ");
}

/**
 * @param {string} type
 * @param {Schema} schema
 * @param {Schema} root
 */
function typeName(type, schema, root) {
  if (type === "array") return schema["items"] ? `list of ${typeOf(schema["items"], root)}` : "list";
  if (type === "object") {
    return isSchema(schema["additionalProperties"])
      ? `map of ${typeOf(schema["additionalProperties"], root)}`
      : "object";
  }
  if (type === "integer" || type === "number") return `${type}${range(schema)}`;
  return type;
}

/** @param {Schema} schema */
function range(schema) {
  const least = schema["minimum"] ?? schema["exclusiveMinimum"];
  const most = schema["maximum"] ?? schema["exclusiveMaximum"];
  const from = typeof least === "number" && least > Number.MIN_SAFE_INTEGER;
  const to = typeof most === "number" && most < Number.MAX_SAFE_INTEGER;
  const above = schema["exclusiveMinimum"] === undefined ? "at least" : "above";
  if (from && to) return `, ${least} to ${most}`;
  if (from) return `, ${above} ${least}`;
  return to ? `, at most ${most}` : "";
}

/**
 * What a configuration without options is.
 * @param {Schema} schema
 */
function wholeForm(schema) {
  const type = typeOf(schema, schema);
  if (type === "object" || type === "any") return "It takes no options.\n";
  return `It is written as ${type}${schema["description"] ? `: ${schema["description"]}` : ""}.\n`;
}

/**
 * Forms of the whole configuration that are no object, such as a bare string.
 * @param {Schema} schema
 */
function shortForms(schema) {
  const forms = alternatives(schema).filter((part) => part !== schema && !resolve(part, schema)["properties"]);
  if (forms.length === 0) return "";
  const described = forms.map((part) => {
    const note = part["description"] ? `: ${sentence(part["description"])}` : "";
    return `- ${typeOf(part, schema)}${note}`;
  });
  return `It is written as one of:\n\n${described.join("\n")}\n- object, with these options\n\n`;
}

/**
 * @param {Schema} schema
 * @returns {Schema[]}
 */
function alternatives(schema) {
  return schema["anyOf"] ?? schema["oneOf"] ?? schema["allOf"] ?? [schema];
}

/**
 * @param {Schema} node
 * @param {Schema} root
 * @returns {Schema}
 */
function resolve(node, root) {
  const reference = node["$ref"];
  if (typeof reference !== "string") return node;
  const steps = reference.replace(/^#\/?/, "").split("/").filter(Boolean);
  return (
    steps.reduce((/** @type {any} */ at, step) => at?.[step.replaceAll("~1", "/").replaceAll("~0", "~")], root) ?? {}
  );
}

/** @param {unknown} value */
function isSchema(value) {
  return typeof value === "object" && value !== null;
}

/**
 * @param {string} path
 * @param {string} name
 */
function join(path, name) {
  return path === "" ? name : `${path}.${name}`;
}

/**
 * As a user writes it; quoted where blanks would not be seen.
 * @param {unknown} value
 */
function text(value) {
  return typeof value === "string" && /^\S(.*\S)?$/.test(value) ? value : JSON.stringify(value);
}

/** @param {string} content */
export function code(content) {
  const fence = content.includes("`") ? "``" : "`";
  return cell(`${fence}${content}${fence}`);
}

/** @param {string} content */
function cell(content) {
  return content.replace(/\s*\n\s*/g, " ").replace(/(?<!\\)\|/g, "\\|");
}

/** @param {string} words */
function sentence(words) {
  return /[.:!?]$/.test(words) ? words : `${words}.`;
}
