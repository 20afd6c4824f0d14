/**
 * Stands for the parameters of an error's message, to show the message's shape: `there is no file <path>`. Whatever a
 * message does with a parameter (takes a member, calls a method, joins a list) gives the parameter's name in brackets.
 * @param {string} [name]
 * @returns {any}
 */
export function placeholder(name = "") {
  const shown = name === "" ? "…" : `<${name}>`;
  return new Proxy(function stands() {}, {
    get(_target, key) {
      if (key === Symbol.toPrimitive) return (/** @type {string} */ hint) => (hint === "number" ? Number.NaN : shown);
      if (key === Symbol.iterator) return () => [placeholder(name)][Symbol.iterator]();
      if (key === "toString" || key === "toJSON") return () => shown;
      if (key === "map")
        return (/** @type {(one: unknown) => unknown} */ fn) => listOf(fn(placeholder(singular(name))));
      if (key === "join") return () => `${shown}, …`;
      if (key === "length" || key === "size") return count;
      if (typeof key === "symbol") return undefined;
      return placeholder(name === "" ? key : METHODS.has(key) ? name : `${name}.${key}`);
    },
    apply: () => placeholder(name),
  });
}

/** Methods of text, numbers and lists: what they return is still the parameter. */
const METHODS = new Set(
  (
    "charAt toUpperCase toLowerCase trim slice filter sort at toFixed toLocaleString replace replaceAll reduce concat " +
    "padStart padEnd flat flatMap keys values entries toISOString"
  ).split(" "),
);

/** A number that is neither 0 nor 1. */
const count = { [Symbol.toPrimitive]: (/** @type {string} */ hint) => (hint === "number" ? 2 : "N") };

/** @param {unknown} one */
function listOf(one) {
  return { join: (/** @type {string} */ separator = ",") => `${one}${separator}…`, toString: () => `${one},…` };
}

/** @param {string} name */
function singular(name) {
  return name.replace(/s$/, "");
}
