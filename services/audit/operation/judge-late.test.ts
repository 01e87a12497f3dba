import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { lateStream } from '#shared/domain/late/events.ts';
import { carriedOn, olderLife } from '#shared/domain/late/testing/older.ts';
import { liveSharedIds, sharedIds } from '#shared/domain/late/testing/shared-ids.ts';
import { atTwoProviders, cascade, live } from '#shared/domain/late/testing/two-attempts.ts';
import {
  operationStream,
  type OperationEvent,
  type Returned,
} from '#shared/domain/operation/events.ts';
import type { ProviderReport } from '#shared/domain/operation/reports/report.ts';
import { leg } from '#shared/domain/operation/testing/given.ts';
import { auditLog } from '../testing/audit-log.ts';
import { createLog } from '../testing/log.ts';

/** The log has no ledger, so none of its money is in suspense. */
const isLate = (finding: string) =>
  finding.startsWith('late.') && !finding.startsWith('late.suspense_missing');

const back = (of: string, amount: string): Returned => ({ ...leg('r', amount), of_leg_id: of });
const told = (attempt: number, version: number, leg_id: string, amounts: [string, string]) => ({
  attempt,
  version,
  legs: [leg('x', '9.00'), leg(leg_id, amounts[0])],
  returns: [back(leg_id, amounts[1])],
});
/** Both attempts name money by the same ids, and correct it. */
const reports: Partial<ProviderReport>[] = [
  told(1, 1, 'a', ['60.00', '60.00']),
  told(2, 1, 'b', ['50.00', '60.00']),
  { ...told(2, 2, 'b', ['100.00', '55.00']), status: 'completed' },
  told(1, 2, 'a', ['50.00', '40.00']),
  told(2, 3, 'b', ['100.00', '50.00']),
  { ...told(2, 4, 'b', ['100.00', '50.00']), legs: [leg('b', '100.00'), leg('a', '1.00')] },
  { ...told(2, 5, 'b', ['100.00', '50.00']), legs: [leg('b', '100.00'), leg('a', '2.00')] },
];

/** What an audit finds of the late facts, after a change of them. */
async function findings(
  begun: readonly OperationEvent[],
  change: (data: Record<string, unknown>) => object = (data) => data,
): Promise<string[]> {
  const { operation, log } = live(begun, reports);
  const { events, append } = createLog();
  const { operationId: id } = operation;
  for (const { of, type, data } of log)
    if (of === 'operation') append({ stream: operationStream(id), type, data });
    else append({ stream: lateStream(id), type, data: change({ ...data }) });
  const { findings: found } = await auditLog(events);
  return found.map(({ rule, message }) => `${rule}: ${message}`).filter(isLate);
}

const oneProvider = cascade({ provider: 'one' }, { provider: 'one', account: 'second' });

it('finds nothing in money of two accounts by one id (R13.2)', async () => {
  expect(await findings(atTwoProviders)).toEqual([]);
  expect(await findings(oneProvider)).toEqual([]);
});

it.each([
  { begun: atTwoProviders, older: 7 },
  { begun: oneProvider, older: 7 },
  { begun: atTwoProviders, older: 3 },
  { begun: atTwoProviders, older: 5 },
])('finds nothing in how the program before named $older reports', async ({ begun, older }) => {
  const all = reports.map((each) => ({ attempt: 2, status: 'open' as const, legs: [], ...each }));
  const before = olderLife(begun, all.slice(0, older));
  expect(JSON.stringify(before.written)).toContain('"2:r"');
  const { operation, log } = carriedOn(before, all);
  const { events, append } = createLog();
  const { operationId: id } = operation;
  for (const { of, ...event } of [...before.log, ...log])
    append({ stream: of === 'operation' ? operationStream(id) : lateStream(id), ...event });
  const { findings: found } = await auditLog(events);
  expect(found.map(({ rule, message }) => `${rule}: ${message}`).filter(isLate)).toEqual([]);
});

it('finds what one account is said to have twice', async () => {
  const asFirst = (data: Record<string, unknown>) => ({ ...data, attempt: 1 });
  expect((await findings(oneProvider, asFirst)).map((each) => each.split(':')[0])).toContain(
    'late.twice',
  );
});

it('finds nothing in histories whose accounts give the same ids (R13.2)', async () => {
  await fc.assert(
    fc.asyncProperty(sharedIds, async (life) => {
      const { operation, log } = liveSharedIds(life);
      const { events, append } = createLog();
      const { operationId: id } = operation;
      for (const { of, ...event } of log)
        append({ stream: of === 'operation' ? operationStream(id) : lateStream(id), ...event });
      const { findings: found } = await auditLog(events);
      expect(found.map(({ rule, message }) => `${rule}: ${message}`).filter(isLate)).toEqual([]);
    }),
    { numRuns: 100 },
  );
});
