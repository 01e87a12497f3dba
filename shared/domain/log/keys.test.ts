import { describe, expect, it } from 'vitest';
import {
  areContinued,
  countsUnsigned,
  decideLogKeys,
  evolveLogKeys,
  maySign,
  mayBeUnsigned,
  noLogKeys,
} from './keys.ts';

const dayMs = 24 * 3_600_000;

/** The rules after these events, each 100 positions and an hour after the one before it. */
const rulesAfter = (...events: [type: string, keyId: string][]) =>
  events.reduce(
    (rules, [type, keyId], index) =>
      evolveLogKeys(
        rules,
        { type, data: { key_id: keyId } },
        { position: (index + 1) * 100, atMs: index * 3_600_000 },
      ),
    noLogKeys,
  );
const first = rulesAfter(['LogKeyBegan', 'a'], ['LogKeyRequired', 'a']);
const second = rulesAfter(
  ['LogKeyBegan', 'a'],
  ['LogKeyRequired', 'a'],
  ['LogKeyBegan', 'b'],
  ['LogKeyRequired', 'b'],
);

describe('events without a signature (R17.15)', () => {
  it('count until a key is required', () => {
    expect(mayBeUnsigned(noLogKeys, 1_000)).toBe(true);
    expect(mayBeUnsigned(rulesAfter(['LogKeyBegan', 'a']), 1_000)).toBe(true);
    expect([200, 201].map((position) => mayBeUnsigned(first, position))).toEqual([true, false]);
  });
});

describe('an event signed with a key (R17.15)', () => {
  it('counts until a later key is required', () => {
    expect([150, 400, 401].map((position) => maySign(second, 'a', position))).toEqual([
      true,
      true,
      false,
    ]);
    expect(maySign(second, 'b', 401)).toBe(true);
  });

  it('counts if the key is newer than what this process has read', () => {
    expect(maySign(first, 'b', 1_000)).toBe(true);
  });
});

describe('the record of the keys (R17.15)', () => {
  it('only goes forward: a key is required once, and never again after a later one', () => {
    const again = rulesAfter(
      ['LogKeyBegan', 'a'],
      ['LogKeyBegan', 'b'],
      ['LogKeyRequired', 'b'],
      ['LogKeyRequired', 'a'],
      ['LogKeyRequired', 'b'],
      ['LogKeyRequired', 'c'],
    );
    expect(again.required).toEqual([{ position: 300, from: 1 }]);
  });

  it('is continued only if all that counted still does', () => {
    expect(areContinued(noLogKeys, first)).toBe(true);
    expect(areContinued(first, second)).toBe(true);
    expect(areContinued(second, first)).toBe(false);
    expect(areContinued(first, rulesAfter(['LogKeyBegan', 'a']))).toBe(false);
    expect(areContinued(first, noLogKeys)).toBe(false);
  });

  it('counts without a signature where that makes only more be required', () => {
    const begun = rulesAfter(['LogKeyBegan', 'a']);
    const counts = (type: string, revision: number, atMs: number) =>
      countsUnsigned(begun, { type, data: { key_id: 'a' } }, { revision, atMs });
    expect(counts('LogKeyRequired', 1, 0)).toBe(true);
    expect(counts('LogKeyRequired', 2, dayMs)).toBe(true);
    // Whoever can append would end the day of an upgrade.
    expect(counts('LogKeyRequired', 2, dayMs / 2)).toBe(false);
    // Whoever can append would begin the day anew.
    expect(counts('LogKeyBegan', 1, dayMs)).toBe(false);
    const other = { type: 'LogKeyBegan', data: { key_id: 'b' } };
    expect(countsUnsigned(begun, other, { revision: 1, atMs: 0 })).toBe(true);
  });
});

describe('a process that begins to append (R17.15)', () => {
  const decide = (
    rules: typeof first,
    keyId: string,
    { nowMs = 0, isNewLog = false, isStart = false } = {},
  ) => decideLogKeys(rules, { keyId, nowMs, isNewLog, isStart });

  it('requires its key at once in a new log', () => {
    expect(decide(noLogKeys, 'a', { isNewLog: true, isStart: true })).toEqual([
      'LogKeyBegan',
      'LogKeyRequired',
    ]);
  });

  it('requires its key a day after it began, while older versions may run', () => {
    const begun = rulesAfter(['LogKeyBegan', 'a']);
    expect(decide(noLogKeys, 'a')).toEqual(['LogKeyBegan']);
    expect(decide(begun, 'a', { nowMs: dayMs })).toEqual([]);
    expect(decide(begun, 'a', { nowMs: dayMs + 1 })).toEqual(['LogKeyRequired']);
    expect(decide(first, 'a', { nowMs: 9 * dayMs })).toEqual([]);
  });

  it('begins the day anew at its start, if none ran when the day ended', () => {
    const begun = rulesAfter(['LogKeyBegan', 'a']);
    const again = rulesAfter(['LogKeyBegan', 'a'], ['LogKeyBegan', 'a']);
    expect(decide(begun, 'a', { nowMs: dayMs, isStart: true })).toEqual([]);
    expect(decide(begun, 'a', { nowMs: dayMs + 1, isStart: true })).toEqual(['LogKeyBegan']);
    expect(decide(again, 'a', { nowMs: dayMs + 3_600_000 })).toEqual([]);
    expect(decide(again, 'a', { nowMs: dayMs + 3_600_001 })).toEqual(['LogKeyRequired']);
    expect(decide(first, 'a', { nowMs: 9 * dayMs, isStart: true })).toEqual([]);
  });

  it('records the key that replaces another one, and may not go back once it is required', () => {
    expect(decide(first, 'b')).toEqual(['LogKeyBegan']);
    const both = rulesAfter(['LogKeyBegan', 'a'], ['LogKeyRequired', 'a'], ['LogKeyBegan', 'b']);
    expect(decide(both, 'a', { nowMs: 9 * dayMs })).toEqual([]);
    expect(decide(second, 'a')).toBe('replaced');
  });
});
