import { describe, expect, it } from 'vitest';
import { loadConfig } from '#shared/platform/config/load.ts';
import { createMasterKeys, personalDataVariables } from './master-keys.ts';

const [one, other] = [
  Buffer.alloc(32, 1).toString('base64'),
  Buffer.alloc(32, 2).toString('base64url'),
];
const mastersOf = (current: string, previous = '') =>
  createMasterKeys(
    loadConfig(personalDataVariables, {
      PERSONAL_DATA_KEY: current,
      PERSONAL_DATA_KEY_PREVIOUS: previous,
    }),
  );

describe('a master key', () => {
  it('unwraps keys that it wrapped, under their own id only', () => {
    const { key, ...wrapped } = mastersOf(one).create('a');
    expect(mastersOf(one).unwrap('a', wrapped).equals(key)).toBe(true);
    expect(() => mastersOf(one).unwrap('b', wrapped)).toThrow(/./);
    expect(wrapped.wrapped).not.toContain(key.export().toString('base64url'));
  });

  it('supports rotation: the previous key still unwraps, the new one wraps', () => {
    const { key, ...old } = mastersOf(one).create('a');
    const rotated = mastersOf(other, `${one},`);
    expect(rotated.unwrap('a', old).equals(key)).toBe(true);
    const { key: newer, ...fresh } = rotated.create('b');
    expect(mastersOf(other).unwrap('b', fresh).equals(newer)).toBe(true);
    expect(() => mastersOf(other).unwrap('a', old)).toThrow('PERSONAL_DATA_KEY_PREVIOUS');
  });

  it.each([
    'short',
    Buffer.alloc(31).toString('base64'),
    Buffer.alloc(33).toString('base64'),
    '!'.repeat(43),
  ])('must be 32 bytes, unlike %s', (key) => {
    expect(() => loadConfig(personalDataVariables, { PERSONAL_DATA_KEY: key })).toThrow(
      /PERSONAL_DATA_KEY/,
    );
    expect(() =>
      loadConfig(personalDataVariables, {
        PERSONAL_DATA_KEY: one,
        PERSONAL_DATA_KEY_PREVIOUS: `${other},${key}`,
      }),
    ).toThrow(/PERSONAL_DATA_KEY_PREVIOUS/);
  });
});
