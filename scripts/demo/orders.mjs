// Orders as a shop would export them: quotes, commas and line breaks in the notes, ids of more than 53 bits, and some rows
// that cannot be read. The same for the same number of rows.
import { closeSync, openSync, writeSync } from "node:fs";
import { rows } from "../../bench/rows.mjs";

/** The least number that a double cannot tell from its neighbour. */
const FIRST_ID = 2n ** 53n;
/** Rows that nobody can read come before this one. */
const SPOILT = 2000;
const PIECE = 1 << 18;

/**
 * Writes a CSV file of so many orders.
 * @param {string} path
 * @param {number} count
 */
export function writeOrders(path, count) {
  const file = openSync(path, "w");
  const source = rows(1);
  let text = "id,ordered_at,customer,amount,paid,coupon,note\n";
  for (let n = 1; n <= count; n++) {
    text += order(n, source.next().value);
    if (text.length < PIECE && n < count) continue;
    writeSync(file, text);
    text = "";
  }
  closeSync(file);
}

/**
 * @param {number} n
 * @param {string[]} row
 */
function order(n, [, amount = "", time = "", customer = "", note = ""]) {
  const fields = [
    String(FIRST_ID + BigInt(n)),
    time,
    n % 50 === 0 ? "test account" : customer,
    written(n, amount),
    n < SPOILT && n % 100 === 7 ? "yes" : String(n % 3 > 0),
    n % 5 === 0 ? "SPRING" : "",
    note,
  ];
  return `${fields.map(quoted).join(",")}\n`;
}

/**
 * @param {number} n
 * @param {string} amount
 */
function written(n, amount) {
  if (n < SPOILT && n % 100 === 3) return "a lot";
  if (n < SPOILT && n % 200 === 5) return "";
  // Sixteen digits: as many as a double can keep.
  return n % 500 === 1 ? `123456789${amount.padStart(8, "0").slice(-8)}` : amount;
}

/** @param {string} field */
function quoted(field) {
  return /[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
