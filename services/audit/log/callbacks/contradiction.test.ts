import { expect, it } from 'vitest';
import { operationStream } from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import { applyReport } from '#shared/domain/operation/reports/apply-report.ts';
import type { ProviderReport } from '#shared/domain/operation/reports/report.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { cascade } from '#shared/domain/late/testing/two-attempts.ts';
import { historyOfPreviousVersion } from '#shared/domain/late/testing/previous-version.ts';
import { lateStream } from '#shared/domain/late/events.ts';
import { accepted, admitted, leg, started } from '#shared/domain/operation/testing/given.ts';
import { personalKeyStream } from '#shared/domain/personal-data/events.ts';
import { auditLog } from '../../testing/audit-log.ts';
import {
  auditorKeys,
  clientKeys,
  storedCallback,
  retainedKey,
} from '../../testing/stored-reports.ts';
import { createLog } from '../../testing/log.ts';

const acceptedHistory = [admitted(), started(), accepted()];
const { operationId } = fold(acceptedHistory) as Operation;
const returnedLeg = { ...leg('r', '40.00'), of_leg_id: 'x' };
/** All received money was returned. */
const report = {
  attempt: 1,
  status: 'completed',
  legs: [leg('x', '40.00')],
  returns: [returnedLeg],
} as const;

type Event = { of?: 'operation' | 'late'; type: string; data: object; schemaVersion?: number };

/** Audits the events of callbacks against what their provider signed. */
async function findings(
  history: readonly Event[],
  callbacks: readonly { events: readonly Event[]; signedReport: object }[],
): Promise<string[]> {
  const { events: log, append } = createLog();
  const { key: _, ...wrapped } = clientKeys.get(retainedKey) ?? {};
  const created = { shop_id: 'shop-1', key_id: retainedKey, ...wrapped };
  append({ stream: personalKeyStream(retainedKey), type: 'PersonalKeyCreated', data: created });
  const streamOf = ({ of }: Event) => (of === 'late' ? lateStream : operationStream)(operationId);
  for (const event of history) append({ stream: streamOf(event), ...event });
  for (const { events, signedReport } of callbacks) {
    const signed = { operation_id: operationId, acceptance: 'accepted', ...signedReport };
    const callback = storedCallback(operationId, signed);
    for (const [index, event] of events.entries())
      append({
        stream: streamOf(event),
        ...event,
        actor: 'provider:sandbox',
        ...(index === 0 && { report: callback }),
      });
  }
  const { findings: reported } = await auditLog(log, { reportKeys: auditorKeys });
  return reported
    .map(({ rule, message }) => `${rule}: ${message}`)
    .filter((each) => each.startsWith('report.'));
}

it('accepts the decline of a fully returned payment by a completed report (R18.3)', async () => {
  const { events } = applyReport(fold(acceptedHistory), report);
  const types = ['LegReceived', 'LegReturned', 'OperationDeclined'];
  expect(events.map(({ type }) => type)).toEqual(types);
  expect(await findings(acceptedHistory, [{ events, signedReport: report }])).toEqual([]);
});

it('reports a decline without returns that was signed as completed', async () => {
  const empty = { ...report, status: 'declined', legs: [], returns: [] } as const;
  const { events } = applyReport(fold(acceptedHistory), empty);
  const callback = { events, signedReport: { ...empty, status: 'completed' } };
  expect(await findings(acceptedHistory, [callback])).toEqual([
    'report.signature: the provider signed accepted and completed',
  ]);
});

it('matches late money disambiguated by its attempt with the signed leg id', async () => {
  const two = cascade({ provider: 'sandbox' }, { provider: 'other' });
  const money = { legs: [leg('x', '100.00')], returns: [returnedLeg] };
  const paid: ProviderReport = { attempt: 2, status: 'completed', ...money };
  const signedReport = {
    ...report,
    status: 'open',
    legs: [leg('x', '60.00')],
    version: 1,
  } as const;
  const nothing = { ...signedReport, legs: [], returns: [], version: 2 };
  const reports = [paid, signedReport, nothing];
  const logs = [1, 2, 3].map((count) => historyOfPreviousVersion(two, reports.slice(0, count)).log);
  const [history = [], first = [], whole = []] = logs;
  const lateEvents = first.slice(history.length);
  const corrected = whole.slice(first.length);
  expect(lateEvents.map(({ data }) => ('leg' in data ? data.leg : data))).toMatchObject([
    { leg_id: '1:x' },
    { leg_id: '1:r' },
  ]);
  expect(corrected).toHaveLength(2);
  const received = { events: lateEvents, signedReport };
  const correction = { events: corrected, signedReport: nothing };
  expect(await findings(history, [received, correction])).toEqual([]);
  const another = { ...received, signedReport: { ...signedReport, legs: [leg('y', '60.00')] } };
  expect(await findings(history, [another])).toEqual([
    'report.signature: leg x has 60.00, the provider signed 0.00',
  ]);
});
