// What went in and what came out, read without mqb.
import { readFileSync } from "node:fs";

/**
 * @typedef {object} Order
 * @property {string} id its digits
 * @property {string} ordered_at
 * @property {string} customer
 * @property {bigint} cents
 * @property {boolean} paid
 * @property {string | null} coupon
 * @property {string} note
 */

/**
 * The records of a CSV file below its header, each as the texts of its fields.
 * @param {string} path
 * @returns {Generator<string[]>}
 */
export function* csvRecords(path) {
  const text = readFileSync(path, "utf8");
  const field = /(?:"((?:[^"]|"")*)"|([^",\n]*))([,\n])/gy;
  field.lastIndex = text.indexOf("\n") + 1;
  let record = [];
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const found = field.exec(text);
    if (!found) throw new Error(`${path}: no CSV at character ${at}`);
    record.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? "");
    if (found[3] === ",") continue;
    yield record;
    record = [];
  }
}

/**
 * What becomes of each record, by the rules of the pipeline and not by its code.
 * @param {Iterable<string[]>} records
 */
export function sorted(records) {
  /** @type {Order[]} */
  const kept = [];
  let rows = 0;
  let filtered = 0;
  let refused = 0;
  for (const [id = "", ordered_at = "", customer = "", amount = "", paid = "", coupon = "", note = ""] of records) {
    rows++;
    if (customer === "test account") filtered++;
    else if (!/^\d+\.\d\d$/.test(amount) || !/^(true|false)$/.test(paid)) refused++;
    else {
      const whole = { cents: BigInt(amount.replace(".", "")), paid: paid === "true", coupon: coupon || null };
      kept.push({ id, ordered_at, customer, ...whole, note });
    }
  }
  return { rows, filtered, refused, kept };
}

/**
 * The lines that came back out of the table.
 * @param {string} path
 * @returns {Order[]}
 */
export function jsonLines(path) {
  return linesOf(path).map((line) => {
    const { ordered_at, customer, paid, coupon, note } = JSON.parse(line);
    const { id = "", amount = "" } = /"id":(?<id>\d+),.*"amount":(?<amount>[\d.]+)[,}]/.exec(line)?.groups ?? {};
    return { id, ordered_at, customer, cents: centsOf(amount), paid: Boolean(paid), coupon, note };
  });
}

/**
 * How many dead letters there are of each reason.
 * @param {string} path
 * @returns {Map<string, number>}
 */
export function reasons(path) {
  const counts = new Map();
  for (const line of linesOf(path)) {
    const reason = JSON.parse(line).metadata["mq_bridge.dlq.error"];
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return counts;
}

/** @param {string} path */
function linesOf(path) {
  const lines = readFileSync(path, "utf8").split("\n");
  if (lines.pop() !== "") throw new Error(`${path} ends in the middle of a line`);
  return lines;
}

/**
 * Digit by digit: nothing is computed with.
 * @param {string} amount with no more than two decimals
 */
function centsOf(amount) {
  const [whole = "", decimals = ""] = amount.split(".");
  return decimals.length <= 2 ? BigInt(whole + decimals.padEnd(2, "0")) : -1n;
}
