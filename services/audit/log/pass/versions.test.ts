import { expect, it } from 'vitest';
import { createVersions } from './versions.ts';

const hourMs = 3_600_000;

/** Of which events it is reported that no program can have written them, by their number. */
function outdatedAmong(...events: [type: string, version: number, atHours: number][]): number[] {
  const versions = createVersions();
  return events.flatMap(([type, version, hours], number) => {
    const metadata = { schema_version: version };
    return versions.whyOutdated({ type, metadata, atMs: hours * hourMs }) ? [number] : [];
  });
}

it('accepts older versions alongside newer ones for a day after an upgrade', () => {
  const upgrade = [
    ['ShopCreated', 2, 0],
    ['OperationAdmitted', 3, 0],
    ['AttemptAccepted', 2, 0],
    ['OperationAdmitted', 4, 100],
    ['AttemptAccepted', 3, 100],
  ] as const satisfies readonly [string, number, number][];
  const older: [string, number, number][] = [
    ['OperationAdmitted', 3, 124],
    ['AttemptAccepted', 2, 124],
  ];
  expect(outdatedAmong(...upgrade, ...older)).toEqual([]);
  const late = older.map(([type, version]): [string, number, number] => [type, version, 125]);
  expect(outdatedAmong(...upgrade, ...late)).toEqual([5, 6]);
});

it('accepts no older version in a log that began with newer programs', () => {
  expect(
    outdatedAmong(['ShopCreated', 3, 0], ['AttemptAccepted', 1, 0], ['AttemptAccepted', 1, 1]),
  ).toEqual([1, 2]);
  // Both versions are of one day: it is unknown which is newer.
  expect(outdatedAmong(['ShopCreated', 3, 0], ['AttemptAccepted', 2, 0])).toEqual([]);
  expect(outdatedAmong(['AttemptAccepted', 3, 0], ['AttemptAccepted', 2, 0])).toEqual([1]);
});

it('accepts a rare event of an older version during an upgrade', () => {
  expect(
    outdatedAmong(
      ['OperationAdmitted', 3, 0],
      ['LateMoneyReceived', 3, 50],
      ['OperationAdmitted', 4, 50],
      ['MoneyReturned', 2, 51],
      ['MoneyReturned', 3, 51],
      ['MoneyReturned', 2, 52],
    ),
  ).toEqual([]);
});
