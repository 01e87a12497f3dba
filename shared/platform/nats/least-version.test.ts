import { expect, it } from 'vitest';
import { isOlderNats } from './least-version.ts';

it.each([
  ['2.9.10', true],
  ['v2.9.10', true],
  ['2.10.26', true],
  ['2.10.27-RC.1', true],
  ['2.10.27', false],
  ['2.10.100', false],
  ['2.11.0', false],
  ['3.0.0', false],
  ['10.0.0', false],
  ['', true],
  ['latest', true],
])('checks whether %s is too old for production: %s', (version, isOld) => {
  expect(isOlderNats(version)).toBe(isOld);
});
