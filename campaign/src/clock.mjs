// Loaded into the program under test: at SIGUSR2 its wall clock jumps, forwards and backwards in turn, further each time.
// Only what asks Node for the date sees it; timers and monotonic clocks go on, as when somebody sets the time of a machine.
const RealDate = Date;
let offset = 0;
let jumps = 0;

class JumpingDate extends RealDate {
  /** @param {unknown[]} args */
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + offset);
    else super(.../** @type {[number]} */ (args));
  }

  /** @override */
  static now() {
    return RealDate.now() + offset;
  }
}

globalThis.Date = /** @type {DateConstructor} */ (/** @type {unknown} */ (JumpingDate));
process.on("SIGUSR2", () => {
  jumps += 1;
  const hours = Math.min(jumps, 48) * (jumps % 2 === 0 ? -1 : 1);
  offset = hours * 3_600_000;
});
