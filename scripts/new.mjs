// `npm run new connector foo`, `pnpm new middleware bar`: a package in plugins/ that builds and passes its tests, made from
// templates/. Its names are filled in, its references, manifest, reference page and a changeset are made.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bootstrap, run } from "./bootstrap.mjs";
import { root, workspacePackages } from "./workspace.mjs";

/** What the template calls itself: a word that occurs in it for nothing else. */
const TEMPLATE_NAMES = { connector: "pigeonhole", middleware: "postmark" };
const PARTS = { connector: "endpoints", middleware: "middlewares" };
const LEFT_OUT = new Set(["node_modules", "dist", ".turbo"]);

const [kind = "", name = "", ...rest] = process.argv.slice(2);
try {
  make();
} catch (error) {
  process.stderr.write(`new: ${/** @type {Error} */ (error).message}\n`);
  process.exitCode = 1;
}

function make() {
  if ((kind !== "connector" && kind !== "middleware") || rest.length > 0) {
    throw new Error("say `npm run new connector NAME` or `npm run new middleware NAME`");
  }
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    throw new Error(`"${name}" is no name for a package: lower-case words of letters and digits, joined by hyphens`);
  }
  const folder = `plugins/${name}`;
  const packages = workspacePackages();
  const taken = packages.find((found) => found.folder === folder || found.name === `@mqb/${name}`);
  if (taken || existsSync(join(root, folder))) throw new Error(`there is ${taken?.folder ?? folder} already`);
  const rival = packages.find(({ manifest }) => manifest.mqb?.[PARTS[kind]]?.includes(keyOf(name)));
  if (rival) throw new Error(`${rival.name} brings \`${keyOf(name)}\` already`);

  const env = bootstrap({ build: false });
  const rename = renamer(TEMPLATE_NAMES[kind], name);
  const template = `templates/${kind}`;
  for (const file of filesIn(template)) {
    const text = rename(readFileSync(join(root, template, file), "utf8").replaceAll(template, folder));
    write(`${folder}/${rename(file)}`, file === "package.json" ? published(text) : text);
  }
  write(`.changeset/new-${name}.md`, `---\n"@mqb/${name}": minor\n---\n\nThe ${kind} \`${keyOf(name)}\`.\n`);

  run("pnpm", ["install", "--no-frozen-lockfile", "--prefer-offline"], env);
  run(process.execPath, ["scripts/generate.mjs"], env);
  run("biome", ["check", "--write", "--log-level=error", folder], env);
  const steps = [
    "src/config.ts: what a user writes",
    kind === "connector"
      ? "src/client.ts and src/convert.ts, then src/consumer.ts and src/publisher.ts"
      : `src/${name}.ts: what it does to a batch`,
    `the tests: npx vitest run ${folder}`,
    "README.md by hand, the rest by `npm run generate`; `npm run check` before you commit",
  ];
  process.stdout.write(`\n${folder} builds and passes its tests. Now make it yours:\n`);
  for (const [i, step] of steps.entries()) process.stdout.write(`  ${i + 1}. ${step}\n`);
  process.stdout.write(`The guide: docs/guides/writing-a-${kind}.md\n`);
}

/**
 * Replaces the template's name in each of its spellings.
 * @param {string} from
 * @param {string} to
 * @returns {(text: string) => string}
 */
function renamer(from, to) {
  const words = to.split("-");
  const pascal = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  const title = from.charAt(0).toUpperCase() + from.slice(1);
  const camelInside = new RegExp(`\\b${from}(?=[A-Z])`, "g");
  return (text) =>
    text
      .replaceAll(`@mqb/${from}`, `@mqb/${to}`)
      .replaceAll(`/${from}.ts`, `/${to}.ts`)
      .replace(new RegExp(`^(src|test)/${from}\\b`), `$1/${to}`)
      .replaceAll(from.toUpperCase(), words.join("_").toUpperCase())
      .replaceAll(title, pascal)
      .replace(camelInside, pascal.charAt(0).toLowerCase() + pascal.slice(1))
      .replaceAll(from, keyOf(to));
}

/**
 * A key of a configuration: `my_queue` for the package `my-queue`.
 * @param {string} packageName
 */
function keyOf(packageName) {
  return packageName.replaceAll("-", "_");
}

/** @param {string} text the package.json of a template, which is not for the registry */
function published(text) {
  const { private: _, ...manifest } = JSON.parse(text);
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/**
 * @param {string} folder
 * @returns {string[]} paths relative to it
 */
function filesIn(folder, inner = "") {
  return readdirSync(join(root, folder, inner))
    .filter((entry) => !LEFT_OUT.has(entry))
    .flatMap((entry) => {
      const path = inner === "" ? entry : `${inner}/${entry}`;
      return statSync(join(root, folder, path)).isDirectory() ? filesIn(folder, path) : [path];
    });
}

/**
 * @param {string} path
 * @param {string} text
 */
function write(path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
