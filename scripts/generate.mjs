// `pnpm generate` renews what follows from the sources: TypeScript references, the manifest and schema.json of each
// plugin, the options tables of the READMEs, docs/reference with the configuration's JSON Schema, the code shown in docs/guides. `--check` changes nothing, names what is stale and fails.
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { bootstrap, buildPackages, run } from "./bootstrap.mjs";
import { configurationPage } from "./generate/configuration-page.mjs";
import { errorPage } from "./generate/error-page.mjs";
import { errorTables, problemCodes } from "./generate/error-tables.mjs";
import { expressionSections } from "./generate/expression-page.mjs";
import { pluginManifest } from "./generate/manifest.mjs";
import { Outputs } from "./generate/outputs.mjs";
import { pageName, pluginReadme, referenceIndex, referencePage } from "./generate/reference-pages.mjs";
import { generateReferences } from "./generate/references.mjs";
import { schemaFile } from "./generate/schema-file.mjs";
import { withSnippets } from "./generate/snippets.mjs";
import { pluginPackages, root, workspacePackages } from "./workspace.mjs";

const { values: options } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const env = bootstrap({ build: false });
const packages = workspacePackages();
try {
  await main();
} catch (error) {
  process.stderr.write(`generate: ${/** @type {Error} */ (error).message}\n`);
  process.exitCode = 1;
}

async function main() {
  const first = finish(references());
  // The build follows the references: with stale ones it says nothing about the sources.
  const stale = options.check && first.length > 0 ? first : [...first, ...finish(await documents())];
  if (stale.length === 0) return;
  process.stdout.write(`${stale.join("\n")}\n`);
  if (!options.check) return;
  process.stderr.write("These are not up to date: run `pnpm generate` and commit what it changes.\n");
  process.exitCode = 1;
}

/** The references first: the build, which everything else needs, follows them. */
function references() {
  const outputs = new Outputs();
  generateReferences(outputs, packages);
  return outputs;
}

async function documents() {
  buildPackages(env);
  const outputs = new Outputs();
  const plugins = await loadPlugins();
  for (const { folder, name, manifest, schema, plugin } of plugins) {
    outputs.json(`${folder}/package.json`, pluginManifest(manifest, plugin));
    outputs.file(`${folder}/schema.json`, `${JSON.stringify(schema, undefined, 2)}\n`);
    outputs.file(`${folder}/README.md`, pluginReadme({ folder, name, manifest, schema }));
  }
  const configuration = await configurationSchemaOf(plugins);
  await reference(outputs, plugins.filter(isPublic), configuration);
  outputs.file("docs/reference/mqb.schema.json", `${JSON.stringify(configuration, undefined, 2)}\n`);
  for (const page of markdownFiles("docs/guides")) outputs.file(page, withSnippets(page));
  return outputs;
}

/**
 * @param {Outputs} outputs
 * @param {import("./generate/reference-pages.mjs").PluginPackage[]} plugins
 * @param {any} configuration the JSON Schema of a configuration
 */
async function reference(outputs, plugins, configuration) {
  const errors = await errorTables(packages.filter(isPublic));
  const { describedLanguage } = await import(pathToFileURL(join(root, "plugins/expression/dist/reference.js")).href);
  /** @type {Record<string, string>} */
  const functions = { "@mqb/expression": expressionSections(describedLanguage()) };
  const pages = new Map([
    ["README.md", referenceIndex(plugins)],
    ["errors.md", errorPage(errors, await problemCodes(packages.filter(isPublic)))],
    ["cli.md", await commandPage()],
    ["configuration.md", configurationPage(configuration)],
    ...plugins.map((plugin) => {
      const hasErrors = errors.some(({ name }) => name === plugin.name);
      return /** @type {const} */ ([pageName(plugin.name), referencePage(plugin, hasErrors, functions[plugin.name])]);
    }),
  ]);
  for (const [page, text] of pages) outputs.file(`docs/reference/${page}`, text);
  for (const file of markdownFiles("docs/reference")) {
    if (!pages.has(basename(file))) outputs.remove(file);
  }
}

/**
 * The JSON Schema of a whole configuration for the plugins that the command brings along.
 * @param {{ name: string, plugin: unknown }[]} plugins
 */
async function configurationSchemaOf(plugins) {
  const load = (/** @type {string} */ file) => import(pathToFileURL(join(root, file)).href);
  const { configurationSchema } = await load("packages/config/dist/index.js");
  const { createRegistry } = await load("packages/core/dist/index.js");
  const cli = packages.find(({ name }) => name === "@mqb/cli");
  const bundled = plugins.filter(({ name }) => cli?.manifest.dependencies?.[name] !== undefined);
  return configurationSchema(createRegistry(bundled.map(({ plugin }) => plugin)));
}

/** docs/reference/cli.md, from the declarations of the commands. */
async function commandPage() {
  /** @param {string} file */
  const built = (file) => import(pathToFileURL(join(root, "apps/cli/dist", file)).href);
  const [{ commandReference }, { COMMANDS, PROGRAM }] = await Promise.all([
    built("args/reference.js"),
    built("commands.js"),
  ]);
  return commandReference(PROGRAM, COMMANDS);
}

/** @param {string} folder */
function markdownFiles(folder) {
  const entries = existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : [];
  return entries.filter((entry) => entry.endsWith(".md")).map((entry) => `${folder}/${entry}`);
}

async function loadPlugins() {
  const loaded = [];
  for (const found of pluginPackages(packages)) {
    const { default: plugin } = await import(pathToFileURL(join(root, found.folder, "dist/index.js")).href);
    loaded.push({ ...found, plugin, schema: schemaFile(found.name, plugin) });
  }
  return loaded;
}

/** @param {Outputs} outputs */
function finish(outputs) {
  const { stale: files } = outputs;
  if (options.check) return files;
  outputs.write();
  const json = files.filter((file) => /(package|tsconfig)\.json$/.test(file));
  if (json.length > 0) run("biome", ["format", "--write", "--log-level=error", ...json], env);
  return files;
}

/** @param {{ manifest: any }} found */
function isPublic({ manifest }) {
  return manifest.private !== true;
}
