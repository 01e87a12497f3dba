import { expect, it } from 'vitest';
import { openLabel, sealLabel } from './file-label.ts';

const sealer = { text: (about: string, plain: string) => `${about}|${plain}` };
const personal = {
  openText: async (sealed: string, about: string) =>
    sealed.startsWith(`${about}|`) ? sealed.slice(about.length + 1) : undefined,
};
const sha256 = '0'.repeat(64);

it.each([
  ['salary.csv', 'salary.csv'],
  ['C:\\Users\\anna\\зарплата.csv', 'зарплата.csv'],
  ['../../etc/passwd', 'passwd'],
  ['two\r\nlines\u202E.csv', 'two lines .csv'],
  ['x'.repeat(300), 'x'.repeat(255)],
])('stores the name %j of a file as %j, encrypted (R24.14)', async (name, stored) => {
  const sealed = sealLabel(sealer, 'batch', { name, sha256 });
  expect(await openLabel(personal, { batchId: 'batch', sealed })).toEqual({ name: stored, sha256 });
  expect(await openLabel(personal, { batchId: 'other', sealed })).toBeUndefined();
});

it('stores no name where there is none (R24.14)', async () => {
  const sealed = sealLabel(sealer, 'batch', { name: undefined, sha256 });
  expect(await openLabel(personal, { batchId: 'batch', sealed })).toEqual({ sha256 });
});
