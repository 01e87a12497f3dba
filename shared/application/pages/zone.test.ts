import { expect, it } from 'vitest';
import { dayEnd, dayIn, dayStart, momentIn } from './zone.ts';

it.each([
  ['2026-11-23T12:30', 'UTC', '2026-11-23T12:30:00.000Z'],
  ['2026-11-23T12:30', 'Asia/Kolkata', '2026-11-23T07:00:00.000Z'],
  ['2026-07-01T00:00', 'America/New_York', '2026-07-01T04:00:00.000Z'],
  ['2026-03-29T04:00', 'Europe/Berlin', '2026-03-29T02:00:00.000Z'],
])('knows when a clock shows %s in %s', (local, zone, moment) => {
  expect(momentIn(local, zone).toISOString()).toBe(moment);
});

it.each([
  ['2026-03-29', 23],
  ['2026-10-25', 25],
  ['2026-11-23', 24],
])('a day there has the hours that it has: %s', (day, hours) => {
  expect(
    (dayEnd(day, 'Europe/Berlin').getTime() - dayStart(day, 'Europe/Berlin').getTime()) / 3_600_000,
  ).toBe(hours);
});

it('knows which day it is there', () => {
  const late = Date.parse('2026-11-23T22:30:00Z');
  expect([dayIn(late, 'UTC'), dayIn(late, 'Europe/Moscow')]).toEqual(['2026-11-23', '2026-11-24']);
});
