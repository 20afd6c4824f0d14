import { type ConfiguredRoute, renderProblem } from "@mqb/config";
import type { Redactor } from "@mqb/config/uri";
import type { ProbeFinding } from "@mqb/core/plugin";
import type { ParsedArgs } from "../args/parse.ts";
import { exitCode, hidden } from "../check/check.ts";
import { loadChecked } from "../check/load.ts";
import { selectRoutes } from "../check/select.ts";
import type { CommandContext } from "../context.ts";
import { EXIT } from "../exit.ts";
import { jsonDocument } from "../json-document.ts";
import { commandLogger, everyModule } from "../log/setup.ts";
import { withInstallCommands } from "../plugins/install-command.ts";
import { type LookOptions, look, type Sight } from "./look.ts";

const TIMEOUT_S = 5;

interface Examined {
  readonly route: ConfiguredRoute;
  readonly sights: readonly Sight[];
}

/** `mqb doctor`: whether everything is there that the routes connect to. Changes nothing. */
export async function doctor(args: ParsedArgs, context: CommandContext): Promise<number> {
  const { output, cwd, clock, stop } = context;
  const checked = await loadChecked(args, context);
  const routes = selectRoutes(checked, args.positionals);
  const options: LookOptions = {
    registry: checked.registry,
    endpoints: checked.checked.endpoints,
    baseDir: cwd,
    clock,
    stop,
    log: commandLogger({ filter: everyModule("warn"), format: "plain", rowsOnStdout: true }, context),
    timeoutMs: (args.integer("timeout") ?? TIMEOUT_S) * 1000,
  };
  const examined = await Promise.all(
    routes.map(async (route) => ({ route, sights: route.plan ? await look(route, route.plan, options) : [] })),
  );
  const code = exitOf(examined);
  const say = (text: string): string => withInstallCommands(text, context.environment, checked.read.folder);
  if (args.has("json")) output.result(jsonDocument(document(examined, code, say), output.redactor));
  else output.result(say(report(examined.map((one) => shown(one, output.redactor)))));
  return code;
}

/** A wrong configuration goes before a system that is not there, and that before a plugin that is missing. */
function exitOf(examined: readonly Examined[]): number {
  const ofConfiguration = exitCode(
    examined.flatMap(({ route }) => route.problems),
    false,
  );
  if (ofConfiguration === EXIT.failed) return EXIT.failed;
  return examined.some(({ sights }) => failing(sights).length > 0) ? EXIT.unreachable : ofConfiguration;
}

function failing(sights: readonly Sight[]): ProbeFinding[] {
  return sights.flatMap((sight) => sight.findings.filter((finding) => !finding.ok));
}

/** Fit to be shown, part by part. */
function shown({ route, sights }: Examined, redactor: Redactor): Examined {
  const problems = route.problems.map((problem) => hidden(problem, redactor));
  return { route: { ...route, name: redactor.text(route.name), problems }, sights: redactor.json(sights) };
}

function report(examined: readonly Examined[]): string {
  const parts = examined.map(({ route, sights }) => {
    const errors = route.problems.filter((problem) => problem.level === "error");
    const problems = errors.map((problem) => `  cannot start: ${renderProblem(problem)}\n`);
    return `route ${route.name}\n${problems.join("")}${sights.map(sightText).join("")}`;
  });
  const bad = examined.reduce((count, { sights }) => count + failing(sights).length, 0);
  const wrong = examined.filter(({ route }) => !route.plan).length;
  const summary = [
    `${examined.length} route${examined.length === 1 ? "" : "s"} looked at`,
    ...(bad > 0 ? [`${bad} thing${bad === 1 ? "" : "s"} missing`] : []),
    ...(wrong > 0 ? [`${wrong} cannot start`] : []),
    ...(bad + wrong === 0 ? ["nothing is missing"] : []),
  ];
  return `${parts.join("\n")}\n${summary.join("; ")}\n`;
}

function sightText({ path, name, how, findings }: Sight): string {
  if (how === "not probed")
    return `  ?     ${path}: not probed: ${name} offers no way to look at it without using it\n`;
  return findings
    .map(({ check, ok, detail, hint }) => {
      const remedy = hint === undefined || ok ? "" : `\n        ${hint}`;
      return `  ${ok ? "ok    " : "FAILED"} ${path} ${check}: ${detail}${remedy}\n`;
    })
    .join("");
}

function document(examined: readonly Examined[], code: number, say: (text: string) => string): object {
  return {
    ok: code === EXIT.ok,
    exit_code: code,
    routes: examined.map(({ route, sights }) => ({
      name: route.name,
      problems: route.problems.filter((one) => one.level === "error").map((problem) => say(renderProblem(problem))),
      places: sights.map(({ path, name, how, findings }) => ({
        path,
        name,
        how,
        findings: findings.map(({ check, ok, detail, hint }) => ({
          check,
          ok,
          detail,
          ...(hint === undefined ? {} : { hint: say(hint) }),
        })),
      })),
    })),
  };
}
