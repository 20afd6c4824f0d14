/** The offset of a time zone from UTC at a moment, in milliseconds. Throws a RangeError for a zone nobody knows. */
export function offsetAt(epoch: number, zone: string): number {
  if (zone === UTC || !Number.isFinite(epoch)) return 0;
  const fields = new Map(
    formatter(zone)
      .formatToParts(epoch)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const at = (name: Intl.DateTimeFormatPartTypes): number => fields.get(name) ?? 0;
  const wall = Date.UTC(at("year"), at("month") - 1, at("day"), at("hour"), at("minute"), at("second"));
  return wall - Math.floor(epoch / 1000) * 1000;
}

/** The moment at which the clocks of a zone show this time. */
export function epochOf(wall: number, zone: string): number {
  const first = wall - offsetAt(wall, zone);
  return wall - offsetAt(first, zone);
}

/** As the original calls it. */
export const UTC = "Etc/UTC";

function formatter(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
}
