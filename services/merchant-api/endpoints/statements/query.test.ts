import { expect, it } from 'vitest';
import { readCheckpointsQuery, readStatementQuery } from './query.ts';

it('accepts more entries than a tree can have, and asks for none that there are (R25.3)', () => {
  const read = (size: string) => readCheckpointsQuery(new URLSearchParams({ from_size: size }));
  expect(read('7')).toEqual({ from_size: 7 });
  for (const size of ['2147483648', '1000000000000', '9'.repeat(15)])
    expect(read(size)).toEqual({ from_size: 2_147_483_647 });
  for (const size of ['9'.repeat(16), '01', '-1', ''])
    expect(() => read(size)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});

it('says in the sentence of the error what is wrong with the period (R2.14)', () => {
  const now = Date.parse('2026-02-01T00:00:00Z');
  const read = (from: string, to: string) =>
    readStatementQuery(new URLSearchParams({ from, to }), now);
  expect(() => read('2026-01-01T00:00:00Z', '2026-02-01T00:00:01Z')).toThrow(
    expect.objectContaining({ detail: '/to: must not be in the future' }),
  );
  expect(() => read('2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z')).toThrow(
    expect.objectContaining({ detail: '/from: must not be after to' }),
  );
});
