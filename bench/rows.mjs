// The rows of the benchmark: the same for the same seed, on every machine and in both forms.

export const columns = ["id", "amount", "created_at", "customer", "note", "status", "email"];

/**
 * Endless rows of seven strings: whole number, decimal amount, ISO time, name (now and then beyond ASCII), free text with
 * commas and quotes (one in eight is empty, one in sixty has a line break), a status word, an address. About 112 bytes
 * a row as CSV.
 * @param {number} seed
 * @returns {Generator<string[], never>}
 */
export function* rows(seed) {
  const next = generator(seed);
  /** @template T @param {readonly T[]} list @returns {T} */
  const pick = (list) => /** @type {T} */ (list[next() % list.length]);
  const notes = Array.from({ length: 960 }, (_, i) => {
    if (i % 8 === 0) return "";
    return pick(OPENING) + (i % 60 === 1 ? "at the desk\n" : pick(MIDDLE)) + pick(CLOSING);
  });
  const people = FIRST.flatMap((first) => LAST.map((last) => [`${first} ${last}`, ascii(`${first}.${last}`)]));
  let time = Date.UTC(2026, 0, 1);
  for (let id = 1; ; id += 1) {
    const [customer = "", address = ""] = pick(people);
    const cents = next() % 100;
    time += 1 + (next() % 60_000);
    yield [
      String(id),
      `${next() % 100_000}.${cents < 10 ? "0" : ""}${cents}`,
      new Date(time).toISOString(),
      customer,
      pick(notes),
      pick(STATUS),
      `${address}${next() % 1000}@${pick(DOMAIN)}`,
    ];
  }
}

/** xorshift32: no state but one word, and good enough to keep a compressor and a branch predictor honest. @param {number} seed */
function generator(seed) {
  let word = (seed ^ 0x9e3779b9) >>> 0 || 1;
  return () => {
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
    word >>>= 0;
    return word;
  };
}

/** @param {string} name */
function ascii(name) {
  return name.toLowerCase().replace(/[^a-z.]/g, "");
}

const FIRST = ["Anna", "Boris", "Chloé", "Dmitri", "Eva", "Farid", "Greta", "Hiro", "Ines", "Jürgen", "Karen", "Liam"];
const LAST = ["Adams", "Becker", "Castro", "Dupont", "Eriksson", "Fischer", "Garcia", "Ivanov", "Müller", "O'Neil"];
const OPENING = ["deliver ", "he says ", '"urgent", ', "once more, ", "gift: ", "ring, "];
const MIDDLE = ["at noon, ", '"back door", ', "by air, ", "after May, ", "billed, "];
const CLOSING = ["thank you", 'size 12"', "blue, not red", "C:\\new", "as agreed", "naïve, 5 €"];
const STATUS = ["new", "paid", "packed", "shipped", "delivered", "returned"];
const DOMAIN = ["example.com", "example.org", "a.example.net"];
