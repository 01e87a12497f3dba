import { expect, it } from 'vitest';
import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import { applyReport } from '#shared/domain/operation/reports/apply-report.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { accepted, admitted, leg, started } from '#shared/domain/operation/testing/given.ts';
import { personalKeyStream } from '#shared/domain/personal-data/events.ts';
import { auditLog } from '../testing/audit-log.ts';
import { auditorKeys, clientKeys, keptCallback, keptKey } from '../testing/kept-reports.ts';
import { createLog } from '../testing/log.ts';

const begun = [admitted(), started(), accepted()];
const { operationId } = fold(begun) as Operation;
const back = { ...leg('r', '40.00'), of_leg_id: 'x' };
/** The whole of what came went back. */
const report = {
  attempt: 1,
  status: 'completed',
  legs: [leg('x', '40.00')],
  returns: [back],
} as const;

/** What an audit finds, of what came of a callback, in what its provider signed. */
async function findings(events: readonly OperationEvent[], told: object): Promise<string[]> {
  const { events: log, append } = createLog();
  const { key: _, ...wrapped } = clientKeys.get(keptKey) ?? {};
  const created = { shop_id: 'shop-1', key_id: keptKey, ...wrapped };
  append({ stream: personalKeyStream(keptKey), type: 'PersonalKeyCreated', data: created });
  const stream = operationStream(operationId);
  for (const event of begun) append({ stream, ...event });
  const kept = keptCallback(operationId, {
    operation_id: operationId,
    acceptance: 'accepted',
    ...told,
  });
  for (const [index, event] of events.entries())
    append({
      stream,
      ...event,
      actor: 'provider:sandbox',
      ...(index === 0 && { report: kept }),
    });
  const { findings: found } = await auditLog(log, { reportKeys: auditorKeys });
  return found
    .map(({ rule, message }) => `${rule}: ${message}`)
    .filter((each) => each.startsWith('report.'));
}

it('a payment whose money went back as a whole is declined by a report that completes it', async () => {
  const { events } = applyReport(fold(begun), report);
  expect(events.map(({ type }) => type)).toEqual([
    'LegReceived',
    'LegReturned',
    'OperationDeclined',
  ]);
  expect(await findings(events, report)).toEqual([]);
});

it('one without money that went back is not', async () => {
  const empty = { ...report, status: 'declined', legs: [], returns: [] } as const;
  const { events } = applyReport(fold(begun), empty);
  expect(await findings(events, { ...empty, status: 'completed' })).toEqual([
    'report.signature: the provider signed accepted and completed',
  ]);
});
