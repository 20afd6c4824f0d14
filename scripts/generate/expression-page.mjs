import { code } from "./options-table.mjs";

/**
 * The functions of the expression language as tables, made from the compiler's own table; each example is run by the tests.
 * @param {import("../../plugins/expression/src/reference.ts").DescribedLanguage} language
 */
export function expressionSections({ functions, loops, methods }) {
  const sections = [
    ["## Functions", "", table(functions, "")],
    [
      "## Functions of lists",
      "The second input is computed for each item, which is `#` in it. Instead of a list they take a range such as `[1..10]`.",
      table(loops, ""),
    ],
    ["## Methods of times", "What `d(…)` gives has these.", table(methods, ".")],
  ];
  return sections.map((parts) => parts.filter((part) => part !== "").join("\n\n")).join("\n\n");
}

/**
 * @param {readonly import("../../plugins/expression/src/reference.ts").Described[]} described
 * @param {string} before
 */
function table(described, before) {
  const rows = described.map(
    ({ name, inputs, gives, example, result }) =>
      `| ${code(before + name)} | ${inputsText(inputs)} | ${gives} | ${code(example)} | ${code(result)} |`,
  );
  return ["| Name | Inputs | Gives | Example | Result |", "| --- | --- | --- | --- | --- |", ...rows].join("\n");
}

/** @param {readonly [number, number]} inputs */
function inputsText([least, most]) {
  return least === most ? String(least) : `${least} to ${most}`;
}
