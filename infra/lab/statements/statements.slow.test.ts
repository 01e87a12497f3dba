import { expect, it } from 'vitest';
import { findings } from '#shared/domain/statements/findings.ts';
import { runDay } from './run.ts';

it('each planted difference of a day is found through the real parts, and nothing else (R22.3)', async () => {
  const result = await runDay({ operations: 700, seed: 7, share: 0.15, say: () => undefined });
  expect(result.compared).toMatchObject({ missed: [], surplus: [] });
  expect(result.wrong).toEqual([]);
  expect(result.auditFailed).toBeUndefined();
  // The audit would find books that differ.
  const plantable = findings.filter((kind) => kind !== 'ledger_differs');
  expect(new Set(result.planted.map(({ finding }) => finding))).toEqual(new Set(plantable));
  expect(result.compared.planted).toBeGreaterThan(100);
  expect(result.acrossMidnight).toBeGreaterThan(0);
});
