/** @typedef {import("./read.mjs").Order} Order */

/**
 * What there is to say of orders without looking at each.
 * @typedef {object} Figures
 * @property {bigint} rows
 * @property {bigint} cents the sum of the amounts
 * @property {bigint} ids the sum of the ids above 2^53
 * @property {bigint} noCoupon orders whose coupon is null
 * @property {bigint} emptyNotes orders whose note is an empty text
 */

const BASE = 2n ** 53n;

/**
 * @param {readonly Order[]} orders
 * @returns {Figures}
 */
export function figuresOf(orders) {
  const figures = { rows: 0n, cents: 0n, ids: 0n, noCoupon: 0n, emptyNotes: 0n };
  for (const { id, cents, coupon, note } of orders) {
    figures.rows++;
    figures.cents += cents;
    figures.ids += BigInt(id) - BASE;
    if (coupon === null) figures.noCoupon++;
    if (note === "") figures.emptyNotes++;
  }
  return figures;
}

/** The same of the table `orders`; each column is a whole number. */
export const FIGURES_QUERY = `SELECT count(*) AS rows, coalesce(sum(CAST(round(amount * 100) AS INTEGER)), 0) AS cents,
  coalesce(sum(id - ${BASE}), 0) AS ids, count(*) FILTER (WHERE coupon IS NULL) AS noCoupon, count(*) FILTER (WHERE note = '') AS emptyNotes FROM orders`;

/**
 * Throws, naming it, for the first order that did not come back as it went in, field by field, and in its order.
 * @param {readonly Order[]} before
 * @param {readonly Order[]} after
 */
export function compareRows(before, after) {
  for (const [n, order] of before.entries()) {
    const came = after[n];
    const fields = /** @type {(keyof Order)[]} */ (Object.keys(order));
    const other = fields.find((field) => came?.[field] !== order[field]);
    if (came && other)
      throw new Error(`order ${order.id}: ${other} was ${order[other]}, and came back as ${came[other]}`);
    if (!came) throw new Error(`order ${order.id} did not come back`);
  }
  if (after.length > before.length)
    throw new Error(`${after.length - before.length} orders more came back than went in`);
}

/**
 * Throws for a figure of two that is not the same.
 * @param {Figures} before
 * @param {Figures} after
 * @param {string} where
 */
export function compareFigures(before, after, where) {
  for (const name of /** @type {(keyof Figures)[]} */ (Object.keys(before)))
    if (before[name] !== after[name])
      throw new Error(`${where}: ${name} is ${after[name]}, and should be ${before[name]}`);
}
