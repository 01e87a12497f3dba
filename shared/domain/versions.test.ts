import { expect, it } from 'vitest';
import { storedExamples } from './testing/stored-examples.ts';
import { isOutdatedBy, newestVersion, writtenSince, writtenUntil } from './versions.ts';

const types = [
  ...new Set(
    Object.values(storedExamples)
      .flat()
      .map(({ type }) => type),
  ),
];

it.each(types)('has the days of the versions of %s in order', (type) => {
  const versions = Array.from({ length: newestVersion(type) }, (_, index) => index + 1);
  const days = versions.slice(1).map((version) => writtenSince({ type, version }));
  for (const [index, day = ''] of days.entries()) {
    expect(day).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(day >= (days[index - 1] ?? '')).toBe(true);
  }
  expect(versions.slice(0, -1).map((version) => writtenUntil({ type, version }))).toEqual(days);
  expect(writtenSince({ type, version: 1 })).toBeUndefined();
  expect(writtenUntil({ type, version: newestVersion(type) })).toBeUndefined();
});

it('compares versions of one type by their number, and others by the day', () => {
  const accepted = (version: number) => ({ type: 'AttemptAccepted', version });
  const admitted = (version: number) => ({ type: 'OperationAdmitted', version });
  expect(isOutdatedBy(accepted(2), accepted(3))).toBe(true);
  expect(isOutdatedBy(accepted(3), accepted(2))).toBe(false);
  expect(isOutdatedBy(accepted(1), admitted(4))).toBe(true);
  expect(isOutdatedBy(accepted(2), admitted(4))).toBe(false);
  expect(isOutdatedBy(accepted(3), admitted(4))).toBe(false);
  expect(isOutdatedBy(admitted(3), accepted(2))).toBe(false);
});

/** How many versions each day brought that is over. A later day may still bring more. */
const versionsOfDays = {
  '2026-11-22': 9,
  '2026-11-23': 20,
  '2026-11-26': 4,
  '2026-11-27': 12,
};

it('gets no version of a day that is over, or streams with newer events would be refused', () => {
  const days = types.flatMap((type) =>
    Array.from(
      { length: newestVersion(type) - 1 },
      (_, index) => writtenSince({ type, version: index + 2 }) ?? '',
    ),
  );
  const isOver = (day: string) => Object.keys(versionsOfDays).some((each) => day <= each);
  const over = Object.entries(Object.groupBy(days.filter(isOver), (day) => day));
  const counts = over.map(([day, all = []]) => [day, all.length]);
  expect(Object.fromEntries(counts)).toEqual(versionsOfDays);
});
