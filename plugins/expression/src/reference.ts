import { LOOPS } from "./compile/loops.ts";
import { METHODS } from "./dates/methods.ts";
import { FUNCTIONS } from "./functions/index.ts";

/** One function of the language, for its reference. */
export interface Described {
  readonly name: string;
  /** How many inputs it takes at least and at most; those of a method come after the time that it is called on. */
  readonly inputs: readonly [number, number];
  /** What it gives, in words. */
  readonly gives: string;
  readonly example: string;
  /** What the example gives, as JSON. */
  readonly result: string;
}

export interface DescribedLanguage {
  readonly functions: readonly Described[];
  readonly loops: readonly Described[];
  readonly methods: readonly Described[];
}

type Words = Readonly<Record<string, readonly [gives: string, example: string, result: string]>>;
type Inputs = Readonly<Record<string, { readonly inputs: readonly [number, number] }>>;

/**
 * Every function that the compiler knows, with what it gives and an example. Only for whoever writes documentation: nothing
 * else imports it. Throws when one has no words, or words have no function.
 */
export function describedLanguage(): DescribedLanguage {
  const loops: Inputs = Object.fromEntries(Object.keys(LOOPS).map((name) => [name, { inputs: [2, 2] as const }]));
  return {
    functions: described(FUNCTIONS, FUNCTION_WORDS),
    loops: described(loops, LOOP_WORDS),
    methods: described(METHODS, METHOD_WORDS),
  };
}

function described(table: Inputs, words: Words): Described[] {
  const without = Object.keys({ ...table, ...words }).filter(
    (name) => !Object.hasOwn(words, name) || !Object.hasOwn(table, name),
  );
  if (without.length > 0)
    throw new Error(`functions without words, or words without a function: ${without.join(", ")}`);
  return Object.entries(table).map(([name, { inputs }]) => {
    const [gives, example, result] = words[name]!;
    return { name, inputs, gives, example, result };
  });
}

const FUNCTION_WORDS: Words = {
  upper: ["the text in capitals", "upper('abc')", '"ABC"'],
  lower: ["the text in small letters", "lower('ABC')", '"abc"'],
  trim: ["the text without blanks around it", "trim(' a b ')", '"a b"'],
  startsWith: ["whether the text begins with the other one", "startsWith('orders.eu', 'orders.')", "true"],
  endsWith: ["whether the text ends with the other one", "endsWith('rows.csv', '.csv')", "true"],
  split: ["the parts of the text between separators", "split('a,b,c', ',')", '["a","b","c"]'],
  matches: [
    "whether the regular expression (RE2) is found in the text",
    "matches('EU-123', '^[A-Z]+-[0-9]+$')",
    "true",
  ],
  extract: [
    "the first match of the regular expression and its groups; an empty list without a match",
    "extract('EU-123', '([A-Z]+)-([0-9]+)')",
    '["EU-123","EU","123"]',
  ],
  contains: ["whether the text holds the other one, or the list the value", "contains([1, 2], 2)", "true"],
  fuzzyMatch: [
    "how alike the texts are, from 0 to 1; for a list one figure each",
    "fuzzyMatch('hello', 'hallo')",
    "0.8",
  ],
  len: ["the bytes of the text in UTF-8, or the items of the list", "len([4, 5, 6])", "3"],
  abs: ["the number without its sign", "abs(-2.5)", "2.5"],
  floor: ["the whole number below", "floor(2.7)", "2"],
  ceil: ["the whole number above", "ceil(2.1)", "3"],
  round: ["the number rounded, to so many places; a half goes away from zero", "round(2.345, 2)", "2.35"],
  trunc: ["the number cut off, after so many places", "trunc(2.789, 1)", "2.7"],
  sum: ["the sum of the numbers in the list", "sum([1, 2, 3.5])", "6.5"],
  avg: ["their average", "avg([1, 2, 6])", "3"],
  median: ["the one in the middle", "median([3, 1, 2])", "2"],
  mode: ["the one that is there most often; of several the least", "mode([1, 2, 2])", "2"],
  min: ["the least of the numbers, or of the times", "min([3, 1, 2])", "1"],
  max: ["the greatest of them", "max([3, 1, 2])", "3"],
  rand: ["a random whole number from 1 to this one", "rand(1)", "1"],
  type: ["the type: null, bool, number, string, array, object, interval or date", "type('a')", '"string"'],
  number: ["the number that the text writes, also for a number or true and false", "number('12.50') + 1", "13.5"],
  string: ["the value as text", "string(12.5)", '"12.5"'],
  bool: ["the value as true or false: false for null, 0 and any text but 'true' and ''", "bool(1)", "true"],
  isNumeric: ["whether it is a number, or a text that writes one", "isNumeric('12a')", "false"],
  keys: ["the names of the members, or the positions in the list", "keys({a: 1})", '["a"]'],
  values: ["the values of the members", "values({a: 1})", "[1]"],
  date: ["Unix seconds of the text, in UTC", "date('2024-03-15 10:20:30')", "1710498030"],
  time: ["seconds since midnight", "time('10:20:30')", "37230"],
  duration: ["seconds of the length of time", "duration('1h 30m')", "5400"],
  year: ["the year of the time", "year('2024-03-15')", "2024"],
  dayOfWeek: ["the day of the week, 1 is Monday", "dayOfWeek('2024-03-15')", "5"],
  dayOfMonth: ["the day of the month", "dayOfMonth('2024-03-15')", "15"],
  dayOfYear: ["the day of the year", "dayOfYear('2024-03-15')", "75"],
  weekOfYear: ["the ISO week", "weekOfYear('2024-03-15')", "11"],
  monthOfYear: ["the month, 1 to 12", "monthOfYear('2024-03-15')", "3"],
  monthString: ["the month's short name", "monthString('2024-03-15')", '"Mar"'],
  weekdayString: ["the day's short name", "weekdayString('2024-03-15')", '"Fri"'],
  dateString: ["the time as text, in UTC", "dateString(1710498030)", '"2024-03-15 10:20:30"'],
  startOf: [
    "Unix seconds of the start of the second, minute, hour, day, week, month or year",
    "dateString(startOf('2024-03-15 10:20:30', 'month'))",
    '"2024-03-01 00:00:00"',
  ],
  endOf: ["Unix seconds of its end", "dateString(endOf('2024-03-15 10:20:30', 'day'))", '"2024-03-15 23:59:59"'],
  d: [
    "a time with methods, from a text or Unix milliseconds; now without inputs; the second input is the time zone of a text without one",
    "d('2024-03-15 10:20', 'Europe/Berlin').timestamp()",
    "1710494400000",
  ],
};

const LOOP_WORDS: Words = {
  map: ["a list with what each item gives", "map([1, 2, 3], # * 2)", "[2,4,6]"],
  flatMap: ["the same, with lists laid end to end", "flatMap([1, 2], [#, #])", "[1,1,2,2]"],
  filter: ["the items for which the test is true", "filter([1, 2, 3], # > 1)", "[2,3]"],
  some: ["whether it is true for one at least", "some([1, 2, 3], # > 2)", "true"],
  all: ["whether it is true for all", "all([1, 2, 3], # > 2)", "false"],
  none: ["whether it is true for none", "none([1, 2, 3], # > 3)", "true"],
  one: ["whether it is true for exactly one", "one([1, 2, 3], # > 2)", "true"],
  count: ["for how many it is true", "count([1, 2, 3], # > 1)", "2"],
};

const AT = "d('2024-03-15T10:20:30Z')";
const METHOD_WORDS: Words = {
  add: [
    "the time so much later: an amount and a unit, or `'1d 2h'`",
    `${AT}.add(1, 'month').format('%Y-%m-%d')`,
    '"2024-04-15"',
  ],
  sub: ["the time so much earlier", `${AT}.sub('1d').format('%Y-%m-%d')`, '"2024-03-14"'],
  set: ["the time with this part changed", `${AT}.set('day', 1).format('%Y-%m-%d')`, '"2024-03-01"'],
  startOf: ["the start of its unit", `${AT}.startOf('month').format('%Y-%m-%d')`, '"2024-03-01"'],
  endOf: ["the end of its unit", `${AT}.endOf('month').format('%Y-%m-%d')`, '"2024-03-31"'],
  diff: ["milliseconds since the other time, or whole units", `${AT}.diff('2024-03-14T10:20:30Z', 'hour')`, "24"],
  format: ["the time as text, by a pattern of strftime", `${AT}.format('%d.%m.%Y')`, '"15.03.2024"'],
  tz: ["the same moment in another time zone", `${AT}.tz('Asia/Tokyo').hour()`, "19"],
  isSame: ["whether it is the same time, or in the same unit", `${AT}.isSame('2024-03-01', 'month')`, "true"],
  isBefore: ["whether it is before the other time", `${AT}.isBefore('2024-03-16')`, "true"],
  isAfter: ["whether it is after it", `${AT}.isAfter('2024-03-16')`, "false"],
  isSameOrBefore: ["whether it is not after it", `${AT}.isSameOrBefore('2024-03-16')`, "true"],
  isSameOrAfter: ["whether it is not before it", `${AT}.isSameOrAfter('2024-03-16')`, "false"],
  second: ["the second", `${AT}.second()`, "30"],
  minute: ["the minute", `${AT}.minute()`, "20"],
  hour: ["the hour", `${AT}.hour()`, "10"],
  day: ["the day of the month", `${AT}.day()`, "15"],
  dayOfYear: ["the day of the year", `${AT}.dayOfYear()`, "75"],
  week: ["the ISO week", `${AT}.week()`, "11"],
  weekday: ["the day of the week, 1 is Monday", `${AT}.weekday()`, "5"],
  month: ["the month, 1 to 12", `${AT}.month()`, "3"],
  quarter: ["the quarter, 1 to 4", `${AT}.quarter()`, "1"],
  year: ["the year", `${AT}.year()`, "2024"],
  isLeapYear: ["whether its year has 366 days", `${AT}.isLeapYear()`, "true"],
  timestamp: ["Unix milliseconds", `${AT}.timestamp()`, "1710498030000"],
  offsetName: ["the name of its time zone", `${AT}.tz('Europe/Berlin').offsetName()`, '"Europe/Berlin"'],
  isValid: ["whether it is a time at all", "d('no time').isValid()", "false"],
  isToday: ["whether its day is today", "d().isToday()", "true"],
  isYesterday: ["whether it was yesterday", "d().isYesterday()", "false"],
  isTomorrow: ["whether it is tomorrow", "d().add(1, 'day').isTomorrow()", "true"],
};
