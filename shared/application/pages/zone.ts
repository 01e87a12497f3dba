import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { dayMs } from '#shared/domain/day.ts';

/** What PostgreSQL takes for the zone that Intl means, whichever zone data it has. */
const places =
  /^(UTC|(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Etc|Europe|Indian|Pacific)\/\S+)$/;
/** Names of three letters that mean one zone everywhere; `IST` is India, Israel or Ireland. */
const letters = /^(UTC|UCT|GMT|EST|MST|HST|CET|MET|EET|WET|PRC|ROC|ROK)$/i;

/**
 * The place by which Intl and PostgreSQL know a zone: `America/Los_Angeles` of `US/Pacific`. Not of
 * offsets such as +03:00, whose sign PostgreSQL inverts. Undefined if there is no such zone.
 */
export function zoneNamed(text: string): string | undefined {
  if (text.length === 3 && !letters.test(text)) return undefined;
  try {
    const { timeZone } = Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions();
    return [text, timeZone].find((name) => places.test(name));
  } catch {
    return undefined;
  }
}

/** The time zone that the browser reports; UTC if it reports none, or the address asks for it. */
export function readZone(c: Context): string {
  if (c.req.query('zone') === 'UTC') return 'UTC';
  const zone = getCookie(c, 'zone') ?? '';
  return (zone.length <= 64 ? zoneNamed(zone) : undefined) ?? 'UTC';
}

/** The local time of a moment, as if it were UTC. */
function clock(atMs: number, zone: string): number {
  const fields = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  }).formatToParts(atMs);
  const value = (type: Intl.DateTimeFormatPartTypes) =>
    Number(fields.find((part) => part.type === type)?.value ?? 0);
  return Date.UTC(
    value('year'),
    value('month') - 1,
    value('day'),
    value('hour'),
    value('minute'),
    value('second'),
  );
}

const hourMs = 3_600_000;

/** The start of a moment's local hour: some zones are half an hour off. */
const hourStart = (atMs: number, zone: string): number =>
  Math.floor(atMs / 1_000) * 1_000 - (clock(atMs, zone) % hourMs);

/** The starts of the last local hours or days, the current one last. */
export function lastStarts(
  unit: 'hour' | 'day',
  { count, nowMs, zone }: { count: number; nowMs: number; zone: string },
): Date[] {
  const unitStart = (atMs: number) =>
    unit === 'hour' ? hourStart(atMs, zone) : dayStart(dayIn(atMs, zone), zone).getTime();
  const starts = [unitStart(nowMs)];
  while (starts.length < count) starts.unshift(unitStart((starts[0] ?? nowMs) - 1));
  return starts.map((start) => new Date(start));
}

/** The day of a moment, there. */
export const dayIn = (atMs: number, zone: string): string =>
  new Date(clock(atMs, zone)).toISOString().slice(0, 10);

/** A moment as a `datetime-local` field has it, there. */
export const localTime = (moment: Date, zone: string): string =>
  new Date(clock(moment.getTime(), zone)).toISOString().slice(0, 19);

/**
 * The moment of a local time such as `2026-11-23T12:30`: the first one if it occurs twice, shifted
 * by the gap if it does not occur.
 */
export function momentIn(local: string, zone: string): Date {
  const shown = Date.parse(`${local}Z`);
  const shownSecond = Math.floor(shown / 1_000) * 1_000;
  const offsets = [shownSecond - dayMs, shownSecond + dayMs].map(
    (near) => clock(near, zone) - near,
  );
  const moments = offsets.map((offset) => shownSecond - offset);
  const exact = moments.filter((moment) => clock(moment, zone) === shownSecond);
  const moment = exact.length > 0 ? Math.min(...exact) : Math.max(...moments);
  return new Date(moment + (shown - shownSecond));
}

/** A day's first moment there. */
export const dayStart = (day: string, zone: string): Date => momentIn(`${day}T00:00:00`, zone);

/** The first moment after a local day, which may have 23 or 25 hours. */
export const dayEnd = (day: string, zone: string): Date =>
  dayStart(new Date(Date.parse(`${day}T00:00:00Z`) + dayMs).toISOString().slice(0, 10), zone);
