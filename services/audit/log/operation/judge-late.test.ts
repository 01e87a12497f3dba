import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lateStream, type LateEvent } from '#shared/domain/late/events.ts';
import { isLateMoney, toSuspense } from '#shared/domain/late/suspense.ts';
import {
  continueWithCurrentVersion,
  historyOfPreviousVersion,
} from '#shared/domain/late/testing/previous-version.ts';
import { liveFrom } from '#shared/domain/late/testing/live.ts';
import { liveSharedIds, sharedIds } from '#shared/domain/late/testing/shared-ids.ts';
import { atTwoProviders, cascade, live } from '#shared/domain/late/testing/two-attempts.ts';
import {
  operationStream,
  type OperationEvent,
  type ReturnedMoney,
} from '#shared/domain/operation/events.ts';
import { decideReview } from '#shared/domain/operation/receipt/operator-review.ts';
import type { ProviderReport } from '#shared/domain/operation/reports/report.ts';
import {
  accepted,
  admitted,
  leg,
  paid,
  route,
  started,
} from '#shared/domain/operation/testing/given.ts';
import { auditLog } from '../../testing/audit-log.ts';
import { createTestLedgers } from '../../testing/ledgers.ts';
import { createLog } from '../../testing/log.ts';

/** The log has no ledger, so none of its money is in suspense. */
const isLate = (finding: string) =>
  finding.startsWith('late.') && !finding.startsWith('late.suspense_missing');

const returnOf = (of: string, amount: string): ReturnedMoney => ({
  ...leg('r', amount),
  of_leg_id: of,
});
const signedReport = (attempt: number, version: number, id: string, amounts: [string, string]) => ({
  attempt,
  version,
  legs: [leg('x', '9.00'), leg(id, amounts[0])],
  returns: [returnOf(id, amounts[1])],
});
/** Both attempts use the same leg ids, and correct the amounts. */
const reports: Partial<ProviderReport>[] = [
  signedReport(1, 1, 'a', ['60.00', '60.00']),
  signedReport(2, 1, 'b', ['50.00', '60.00']),
  { ...signedReport(2, 2, 'b', ['100.00', '55.00']), status: 'completed' },
  signedReport(1, 2, 'a', ['50.00', '40.00']),
  signedReport(2, 3, 'b', ['100.00', '50.00']),
  { ...signedReport(2, 4, 'b', ['100.00', '50.00']), legs: [leg('b', '100.00'), leg('a', '1.00')] },
  { ...signedReport(2, 5, 'b', ['100.00', '50.00']), legs: [leg('b', '100.00'), leg('a', '2.00')] },
];

/** Audits the late events after a change to their data. */
async function findings(
  initialEvents: readonly OperationEvent[],
  change: (data: Record<string, unknown>) => object = (data) => data,
): Promise<string[]> {
  const { operation, log } = live(initialEvents, reports);
  const { events, append } = createLog();
  const { operationId: id } = operation;
  for (const { of, type, data } of log)
    if (of === 'operation') append({ stream: operationStream(id), type, data });
    else append({ stream: lateStream(id), type, data: change({ ...data }) });
  const { findings: reported } = await auditLog(events);
  return reported.map(({ rule, message }) => `${rule}: ${message}`).filter(isLate);
}

/** A payment of 100.00: 40.00 came before its approval, then more of that leg. */
function approvedWithMore() {
  const life = liveFrom([
    admitted(),
    started(1, route({ requires_receipt: true })),
    accepted(1, { confirmation_required: true }),
    { type: 'ReceiptUploaded', data: { receipt_id: 'r', sha256: 'h', size_bytes: 1, pdf: true } },
    { type: 'ManualCheckStarted', data: { receipt_id: 'r', reason: 'potential_fake' } },
  ]);
  const report = (version: number, ...legs: [string, string][]) =>
    life.report({
      attempt: 1,
      version,
      status: 'open',
      legs: legs.map(([id, amount]) => leg(id, amount)),
    });
  report(1, ['a', '40.00']);
  const by = { note: 'seen', legId: 'operator', nowIso: '2026-01-31T12:05:00.000Z' };
  const approval = { decision: 'approve', actualAmount: '100.00', mayExceed: true } as const;
  const decided = decideReview(life.operation, { ...by, ...approval });
  if ('events' in decided) life.apply(decided.events);
  report(2, ['a', '70.00']);
  report(3, ['a', '90.00'], ['b', '20.00']);
  report(4, ['a', '85.00'], ['b', '25.00']);
  return life;
}

it('accepts approved money that came as more of a leg (R9.12, R13.19)', async () => {
  const { operation, log, lateEvents } = approvedWithMore();
  expect(lateEvents.map(({ type, data }) => [type, 'leg' in data && data.leg.amount])).toEqual([
    ['ApprovedMoneyConfirmed', '30.00'],
    ['ApprovedMoneyConfirmed', '20.00'],
    ['ApprovedMoneyConfirmed', '10.00'],
    ['DifferenceReported', '10.00'],
    ['DifferenceReported', '-5.00'],
    ['DifferenceReported', '5.00'],
  ]);
  const { events, append } = createLog();
  for (const { of, type, data } of log)
    append({
      stream:
        of === 'operation'
          ? operationStream(operation.operationId)
          : lateStream(operation.operationId),
      type,
      data,
    });
  const { findings: reported } = await auditLog(events);
  expect(reported.map(({ rule, message }) => `${rule}: ${message}`).filter(isLate)).toEqual([]);
});

const oneProvider = cascade({ provider: 'one' }, { provider: 'one', account: 'second' });

it('accepts the same leg ids at two accounts (R13.2)', async () => {
  expect(await findings(atTwoProviders)).toEqual([]);
  expect(await findings(oneProvider)).toEqual([]);
});

it.each([
  { initialEvents: atTwoProviders, older: 7 },
  { initialEvents: oneProvider, older: 7 },
  { initialEvents: atTwoProviders, older: 3 },
  { initialEvents: atTwoProviders, older: 5 },
])(
  'accepts $older reports with leg ids as an older version wrote them',
  async ({ initialEvents, older }) => {
    const all = reports.map((each) => ({ attempt: 2, status: 'open' as const, legs: [], ...each }));
    const before = historyOfPreviousVersion(initialEvents, all.slice(0, older));
    expect(JSON.stringify(before.written)).toContain('"2:r"');
    const { operation, log } = continueWithCurrentVersion(before, all);
    const { events, append } = createLog();
    const { operationId: id } = operation;
    for (const { of, ...event } of [...before.log, ...log])
      append({ stream: of === 'operation' ? operationStream(id) : lateStream(id), ...event });
    const { findings: reported } = await auditLog(events);
    expect(reported.map(({ rule, message }) => `${rule}: ${message}`).filter(isLate)).toEqual([]);
  },
);

it('reports money of one account that is recorded twice', async () => {
  const asFirst = (data: Record<string, unknown>) => ({ ...data, attempt: 1 });
  const rules = (await findings(oneProvider, asFirst)).map((each) => each.split(':')[0]);
  expect(rules).toContain('late.twice');
});

type History = Pick<ReturnType<typeof liveSharedIds>, 'operation' | 'log'>;

/** Audits a history, whose late money is in suspense, after a change to its late events. */
async function auditHistory(
  { operation, log }: History,
  change: (data: Record<string, unknown>, type: string) => object = (data) => data,
) {
  const { events, append } = createLog();
  const books = createTestLedgers(append);
  const { operationId, shopId, type, request } = operation;
  for (const { of, ...event } of log) {
    if (of === 'operation') {
      append({ stream: operationStream(operationId), ...event });
      continue;
    }
    const data = change({ ...event.data }, event.type);
    append({ stream: lateStream(operationId), type: event.type, data });
    const late = event as LateEvent;
    if (!isLateMoney(late)) continue;
    const why = { cause: late.type, provider: late.data.provider };
    const money = { operationId, ...toSuspense(late, type), why };
    books.post(shopId, request.currency, { kind: 'suspense', ...money });
  }
  const { findings: reported, notes } = await auditLog(events);
  const messages = reported.map(({ rule, message }) => `${rule}: ${message}`);
  return { findings: messages.filter((each) => /^(late|ledger)\./.test(each)), notes };
}

it('accepts histories whose accounts share leg ids (R13.2)', async () => {
  await fc.assert(
    fc.asyncProperty(sharedIds, async (life) => {
      expect((await auditHistory(liveSharedIds(life))).findings).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

describe('late events', () => {
  const partOf = { attempt: 2, status: 'open', legs: [leg('a', '40.00')] } as const;

  it('are reported if the open operation should have counted their money', async () => {
    const elsewhere = { attempt: 1, status: 'open', legs: [leg('b', '9.00')] } as const;
    const history = live(atTwoProviders, [partOf, elsewhere]);
    expect((await auditHistory(history)).findings).toEqual([]);
    const { findings: reported } = await auditHistory(history, (data) => ({ ...data, attempt: 2 }));
    expect(reported.map((finding) => finding.split(':')[0])).toContain('late.open');
  });
});

describe('a shortfall of a provider against the ledger (R13.19)', () => {
  const approval = { decision: 'approve', actual_amount: '100.00' } as const;
  const reviewed: OperationEvent[] = [
    admitted(),
    started(1, route({ requires_receipt: true })),
    accepted(1, { confirmation_required: true }),
    { type: 'ReceiptUploaded', data: { receipt_id: 'r', sha256: 'h', size_bytes: 1, pdf: true } },
    { type: 'ManualCheckStarted', data: { receipt_id: 'r', reason: 'potential_fake' } },
    { type: 'ReviewDecided', data: { receipt_id: 'r', ...approval, note: 'seen' } },
    {
      type: 'OperationCompleted',
      data: {
        ...paid('100.00', '2.50', '97.50'),
        legs: [{ ...leg('o', '100.00'), synthetic: true }],
      },
    },
  ];
  const part = { attempt: 1, version: 1, legs: [leg('a', '60.00')] };
  const ended = { ...part, version: 2, status: 'expired' } as const;
  const corrected = { ...ended, version: 3, legs: [leg('a', '50.00')] };

  it('is noted as unreported, then after the terminal status as missing (R13.19)', async () => {
    const { operationId: id } = live(reviewed, []).operation;
    const open = await auditHistory(live(reviewed, [part]));
    expect(open).toMatchObject({ findings: [] });
    expect(open.notes).toContain(
      `approved money that its provider has not reported yet: ${id} (40.00 RUB)`,
    );
    const all = await auditHistory(live(reviewed, [part, ended, corrected]));
    expect(all).toMatchObject({ findings: [] });
    expect(all.notes).toContain(`approved money that did not arrive: ${id} (40.00 RUB)`);
    expect(all.notes.join()).not.toContain('not reported yet');
  });

  it.each([
    [
      'larger than the missing money',
      'approval',
      { amount: '-41.00', counted: '100.00', reported: '59.00' },
    ],
    ['for another approval', 'approval', { amount: '-40.00', counted: '90.00', reported: '50.00' }],
    ['from another amount', 'transfer', { amount: '-10.00', counted: '61.00', reported: '51.00' }],
    ['by another amount', 'transfer', { amount: '-11.00', counted: '60.00', reported: '50.00' }],
  ])(
    'is reported if its difference is %s (R13.19)',
    async (_, of, { amount, counted, reported }) => {
      const { findings: violations } = await auditHistory(
        live(reviewed, [part, ended, corrected]),
        (data, type) =>
          type === 'DifferenceReported' && data['of'] === of
            ? {
                ...data,
                leg: { ...(data['leg'] as object), amount },
                counted_amount: counted,
                reported_amount: reported,
              }
            : data,
      );
      const rule = of === 'approval' ? 'late.approved' : 'late.unknown';
      expect(violations.map((finding) => finding.split(':')[0])).toContain(rule);
    },
  );
});
