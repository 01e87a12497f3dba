import { expect, it } from 'vitest';
import { operationStream } from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import { applyReport } from '#shared/domain/operation/reports/apply-report.ts';
import type { ProviderReport } from '#shared/domain/operation/reports/report.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { cascade } from '#shared/domain/late/testing/two-attempts.ts';
import { olderLife } from '#shared/domain/late/testing/older.ts';
import { lateStream } from '#shared/domain/late/events.ts';
import { accepted, admitted, leg, started } from '#shared/domain/operation/testing/given.ts';
import { personalKeyStream } from '#shared/domain/personal-data/events.ts';
import { auditLog } from '../../testing/audit-log.ts';
import { auditorKeys, clientKeys, keptCallback, keptKey } from '../../testing/stored-reports.ts';
import { createLog } from '../../testing/log.ts';

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

type Event = { of?: 'operation' | 'late'; type: string; data: object; schemaVersion?: number };

/** What an audit finds, of what came of callbacks, in what their provider signed. */
async function findings(
  begin: readonly Event[],
  callbacks: readonly { events: readonly Event[]; signedReport: object }[],
): Promise<string[]> {
  const { events: log, append } = createLog();
  const { key: _, ...wrapped } = clientKeys.get(keptKey) ?? {};
  const created = { shop_id: 'shop-1', key_id: keptKey, ...wrapped };
  append({ stream: personalKeyStream(keptKey), type: 'PersonalKeyCreated', data: created });
  const streamOf = ({ of }: Event) => (of === 'late' ? lateStream : operationStream)(operationId);
  for (const event of begin) append({ stream: streamOf(event), ...event });
  for (const { events, signedReport } of callbacks) {
    const kept = keptCallback(operationId, {
      operation_id: operationId,
      acceptance: 'accepted',
      ...signedReport,
    });
    for (const [index, event] of events.entries())
      append({
        stream: streamOf(event),
        ...event,
        actor: 'provider:sandbox',
        ...(index === 0 && { report: kept }),
      });
  }
  const { findings: found } = await auditLog(log, { reportKeys: auditorKeys });
  return found
    .map(({ rule, message }) => `${rule}: ${message}`)
    .filter((each) => each.startsWith('report.'));
}

it('a payment whose money went back as a whole is declined by a report that completes it (R18.3)', async () => {
  const { events } = applyReport(fold(begun), report);
  expect(events.map(({ type }) => type)).toEqual([
    'LegReceived',
    'LegReturned',
    'OperationDeclined',
  ]);
  expect(await findings(begun, [{ events, signedReport: report }])).toEqual([]);
});

it('one without money that went back is not', async () => {
  const empty = { ...report, status: 'declined', legs: [], returns: [] } as const;
  const { events } = applyReport(fold(begun), empty);
  expect(
    await findings(begun, [{ events, signedReport: { ...empty, status: 'completed' } }]),
  ).toEqual(['report.signature: the provider signed accepted and completed']);
});

it('late money that was disambiguated by its attempt is signed by its provider’s id', async () => {
  const two = cascade({ provider: 'sandbox' }, { provider: 'other' });
  const paid = { attempt: 2, status: 'completed', legs: [leg('x', '100.00')], returns: [back] };
  const signedReport = {
    ...report,
    status: 'open',
    legs: [leg('x', '60.00')],
    version: 1,
  } as const;
  const reports = [
    paid as ProviderReport,
    signedReport,
    { ...signedReport, legs: [], returns: [], version: 2 },
  ];
  const logs = [1, 2, 3].map((count) => olderLife(two, reports.slice(0, count)).log);
  const [begin = [], first = [], whole = []] = logs;
  const came = first.slice(begin.length);
  const corrected = whole.slice(first.length);
  expect(came.map(({ data }) => ('leg' in data ? data.leg : data))).toMatchObject([
    { leg_id: '1:x' },
    { leg_id: '1:r' },
  ]);
  expect(corrected).toHaveLength(2);
  expect(
    await findings(begin, [
      { events: came, signedReport },
      { events: corrected, signedReport: { ...signedReport, legs: [], returns: [] } },
    ]),
  ).toEqual([]);
  expect(
    await findings(begin, [
      { events: came, signedReport: { ...signedReport, legs: [leg('y', '60.00')] } },
    ]),
  ).toEqual(['report.signature: leg x has 60.00, the provider signed 0.00']);
});
