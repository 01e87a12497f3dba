import { expect, it } from 'vitest';
import { dayEnd, dayIn, dayStart, localTime, momentIn, zoneNamed } from './zone.ts';

it.each([
  ['2026-11-23T12:30', 'UTC', '2026-11-23T12:30:00.000Z'],
  ['2026-11-23T12:30', 'Asia/Kolkata', '2026-11-23T07:00:00.000Z'],
  ['2026-07-01T00:00', 'America/New_York', '2026-07-01T04:00:00.000Z'],
  ['2026-03-29T04:00', 'Europe/Berlin', '2026-03-29T02:00:00.000Z'],
])('converts local time %s in %s to an instant', (local, zone, moment) => {
  expect(momentIn(local, zone).toISOString()).toBe(moment);
});

it.each([
  ['2026-03-29', 23],
  ['2026-10-25', 25],
  ['2026-11-23', 24],
])('computes the length of a day across a clock change: %s', (day, hours) => {
  expect(
    (dayEnd(day, 'Europe/Berlin').getTime() - dayStart(day, 'Europe/Berlin').getTime()) / 3_600_000,
  ).toBe(hours);
});

it.each([
  ['America/Santiago', '2024-09-08', '2024-09-08T04:00:00.000Z'],
  ['America/Havana', '2024-03-10', '2024-03-10T05:00:00.000Z'],
  ['Asia/Beirut', '2024-03-31', '2024-03-30T22:00:00.000Z'],
])('starts a day that has no midnight at the clock change: %s', (zone, day, start) => {
  expect(dayStart(day, zone).toISOString()).toBe(start);
  expect(dayIn(Date.parse(start), zone)).toBe(day);
  expect(dayIn(Date.parse(start) - 1, zone)).not.toBe(day);
});

it.each([
  ['America/Havana', '2024-11-03', '2024-11-03T04:00:00.000Z'],
  ['Asia/Amman', '2021-10-29', '2021-10-28T21:00:00.000Z'],
])('starts a day that has two midnights at the first: %s', (zone, day, start) => {
  expect(dayStart(day, zone).toISOString()).toBe(start);
});

it.each(['America/Santiago', 'Australia/Lord_Howe'])(
  'ends each day exactly when the next one starts: %s',
  (zone) => {
    const days = Array.from({ length: 367 }, (_, day) =>
      new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10),
    );
    const ends = days.slice(0, -1).map((day) => dayEnd(day, zone).getTime());
    expect(ends).toEqual(days.slice(1).map((day) => dayStart(day, zone).getTime()));
    expect(ends.map((end) => dayIn(end - 1, zone))).toEqual(days.slice(0, -1));
    expect(ends.map((end) => dayIn(end, zone))).toEqual(days.slice(1));
  },
);

it.each([
  ['UTC', 'UTC'],
  ['GMT', 'UTC'],
  ['Europe/Berlin', 'Europe/Berlin'],
  ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ['Etc/GMT+5', 'Etc/GMT+5'],
  ['US/Pacific', 'America/Los_Angeles'],
  ['EST5EDT', 'America/New_York'],
  ['CET', 'Europe/Brussels'],
  ['Japan', 'Asia/Tokyo'],
])('takes the zone %s of a browser, old names too, as the place %s', (name, place) => {
  expect(zoneNamed(name)).toBe(place);
});

it.each(['IST', 'PST', 'CST', 'SystemV/PST8', 'Mars/Olympus', '+03:00', ''])(
  'takes no ambiguous abbreviation, offset or unknown zone: "%s"',
  (name) => expect(zoneNamed(name)).toBeUndefined(),
);

it('returns the day of an instant in a zone', () => {
  const late = Date.parse('2026-11-23T22:30:00Z');
  expect([dayIn(late, 'UTC'), dayIn(late, 'Europe/Moscow')]).toEqual(['2026-11-23', '2026-11-24']);
});

it('writes a moment as a form has it, in a zone', () => {
  const moment = new Date('2026-11-23T22:30:00.500Z');
  expect(localTime(moment, 'Asia/Kolkata')).toBe('2026-11-24T04:00:00');
  expect(momentIn(localTime(moment, 'Asia/Kolkata'), 'Asia/Kolkata')).toEqual(
    new Date('2026-11-23T22:30:00Z'),
  );
});
