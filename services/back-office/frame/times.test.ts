import { describe, expect, it } from 'vitest';
import { at, timesIn, type View } from './components.ts';
import { renderToText } from '#shared/platform/pages/html.ts';
import type { Html } from '#shared/platform/pages/index.ts';
import { translator } from '#shared/application/pages/translations.ts';
import { lastStarts } from '#shared/application/pages/zone.ts';

/** A fragment of a page as text. */
const text = (part: Html | string) => (typeof part === 'string' ? part : renderToText(part));

const view = (path: string, zone: string) =>
  ({ language: 'en', t: translator('en'), zone, preferences: { path } }) as View;

describe('a time on a page', () => {
  it('has a year unless it is the current one', () => {
    expect(text(at(view('/', 'UTC'), '1999-05-06T07:08:09Z'))).toContain('>6 May 1999, 07:08:09<');
    const now = new Date();
    expect(text(at(view('/', 'UTC'), now)).split('>')[1]).not.toContain(
      String(now.getUTCFullYear()),
    );
  });

  it('links to the same page in UTC, and back', () => {
    expect(text(timesIn(view('/operations?type=payout', 'Asia/Kolkata')))).toContain(
      'href="/operations?type=payout&amp;zone=UTC">Show in UTC<',
    );
    expect(text(timesIn(view('/operations?zone=UTC', 'UTC')))).toContain(
      'href="/operations">Show in my zone<',
    );
    expect(text(timesIn(view('/operations', 'UTC')))).toBe('All times are UTC.');
  });
});

describe('the last hours and days in a time zone', () => {
  const starts = (unit: 'hour' | 'day', now: string, zone: string) =>
    lastStarts(unit, { count: 3, nowMs: Date.parse(now), zone }).map((each) => each.toISOString());

  it('start on the hour and at midnight of the zone', () => {
    expect(starts('hour', '2026-11-23T09:20:00Z', 'Asia/Kolkata')).toEqual([
      '2026-11-23T06:30:00.000Z',
      '2026-11-23T07:30:00.000Z',
      '2026-11-23T08:30:00.000Z',
    ]);
    expect(starts('day', '2026-11-23T22:20:00Z', 'Europe/Moscow')).toEqual([
      '2026-11-21T21:00:00.000Z',
      '2026-11-22T21:00:00.000Z',
      '2026-11-23T21:00:00.000Z',
    ]);
  });

  it('follow the end of summer time: a day of 25 hours, and an hour that repeats', () => {
    expect(starts('day', '2026-10-26T12:00:00Z', 'Europe/Berlin')).toEqual([
      '2026-10-23T22:00:00.000Z',
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
    ]);
    expect(starts('hour', '2026-10-25T01:30:00Z', 'Europe/Berlin')).toEqual([
      '2026-10-24T23:00:00.000Z',
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T01:00:00.000Z',
    ]);
  });
});
