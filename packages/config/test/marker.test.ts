import { describe, expect, it } from "vitest";
import {
  checkConfiguration,
  createRedactor,
  listValues,
  loadConfiguration,
  renderProblem,
  type SourceText,
} from "../src/index.ts";
import { documentsOf, readExamples } from "./examples/example.ts";
import { withSecrets } from "./marked.ts";
import { registryWithStubs } from "./stubs/registry.ts";
import { DEFAULTS } from "./support-load.ts";

const MARKER = "Mark3rOfASecret";

/** Everything that this package gives a host to print, without and with the host's redactor. */
function printed(
  sources: readonly SourceText[],
  registry: Awaited<ReturnType<typeof registryWithStubs>>,
  environment = {},
) {
  const configuration = loadConfiguration(sources, environment);
  const checked = checkConfiguration(configuration, registry, DEFAULTS);
  const problems = checked.problems.flatMap((problem) =>
    [true, false].map((frame) => renderProblem(problem, { frame, color: false })),
  );
  const values = listValues(configuration, checked).map((value) => JSON.stringify(value));
  return [...problems, ...values];
}

describe("a secret of a configuration", () => {
  it("is in nothing that is printed about any of the examples, whole or broken", async () => {
    const registry = await registryWithStubs();
    let secrets = 0;
    for (const document of readExamples().flatMap(documentsOf)) {
      const { routes, count } = withSecrets(document, registry, (number) => `${MARKER}${number}`);
      const text = JSON.stringify({ routes }, null, 1);
      secrets += count;
      const broken = [
        text,
        // Every field misspelt, a field too many, types that do not fit, and what is no JSON.
        text.replace(/"(\w+)": /g, '"$1x": '),
        text.replace(/"(password|token|key|secret_key|url)": /g, '"$1_": '),
        text.replace(/"(\w*Mark3r\w*)"/g, '["$1"]'),
        text.replace(/: "/g, ': !"'),
        text.replace(/"$/m, ""),
        text.replaceAll("\n", ""),
        `${text}}`,
      ];
      for (const one of broken)
        for (const format of ["yaml", "json"] as const) {
          const lines = printed([{ name: "c", text: one, format }], registry);
          expect(lines.filter((line) => line.includes(MARKER))).toEqual([]);
        }
    }
    // The examples hold secrets, or this would show nothing.
    expect(secrets).toBeGreaterThan(30);
  }, 120_000);

  it.each([
    `password: ${MARKER}`,
    `password: *${MARKER}`,
    `password: !${MARKER} x`,
    `password: "${MARKER}`,
    `password: '${MARKER}' x`,
    `password: "\\q${MARKER}"`,
    `password: @${MARKER}`,
    `password: %${MARKER}`,
    `password: a: ${MARKER}`,
    `password: {${MARKER}`,
    `password: |\n ${MARKER}\n\t${MARKER}\nx`,
    `password: >${MARKER}`,
    `pasword: ${MARKER}`,
    `password: [${MARKER}`,
    `password: \${A:-${MARKER}}`,
    `r: {input: {file: {path: a, pasword: ${MARKER}, sealing: {key: [${MARKER}]}}}}`,
    `r: {input: {file: {path: a, sealing: {key: ${MARKER}, name: 1}, batch: x}}}`,
    `r: {input: {kafka: {sasl: {key: ${MARKER}}, custom_headers: {x: ${MARKER}}}}}`,
    `r: {input: {db: {url: "db://${MARKER}@h", tabel: "nats://${MARKER}@h"}}}`,
    `r: {input: db://u:${MARKER}@h}`,
    `input: {file: {path: \${P:-${MARKER}}}}\nbatch_size: \${DB_PASSWORD}`,
    `config_security: {mode: ${MARKER}}\nencrypted_config: {ciphertext: ${MARKER}}`,
    `env_vars: {API_TOKEN: ${MARKER}}\nr: {input: {file: {pth: $API_TOKEN, sealing: {key: $API_TOKEN}}}}`,
    `publishers: [{name: a, headers: [{key: authorization, value: ${MARKER}}], endpoint: {db: {}}}]`,
  ])("is in nothing that is printed about %s", async (text) => {
    const registry = await registryWithStubs();
    const environment = { DB_PASSWORD: MARKER, MQB__ROUTES__R__INPUT__FILE__BATCH_PASSWORD: MARKER };
    const sources = [{ name: "c", text, format: "yaml" as const }];
    // What is a secret only because a person calls it one is for the redactor, which has learnt the configuration.
    const configuration = loadConfiguration(sources, environment);
    const redactor = createRedactor();
    redactor.learn(configuration.document);
    for (const secret of configuration.secrets) redactor.add(secret);
    const lines = printed(sources, registry, environment).map((line) => redactor.text(line));
    const isPath = text.includes("path: ${P");
    expect(lines.filter((line) => line.includes(MARKER) && !isPath)).toEqual([]);
  });
});
