import type { LedgerCommand } from '#shared/domain/ledger/commands.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { lateStream } from '#shared/domain/late/events.ts';
import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import {
  admitted,
  accepted,
  leg,
  noMoney,
  paid,
  route,
  started,
} from '#shared/domain/operation/testing/given.ts';
import { evidenceStream } from '#shared/domain/evidence/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { append } from './append.ts';
import { entriesOf } from './ledger-histories.ts';

/** The ids of the sample's operations, from 1. */
export const sampleId = (n: number): string =>
  `6f1d5b1e-0000-8000-8000-${n.toString().padStart(12, '0')}`;
const payout = route({ type: 'payout' });

/**
 * Histories whose figures can be checked by hand: two paid, one of them partially, and one of
 * each other outcome.
 */
const histories: Record<string, OperationEvent[]> = {
  [sampleId(1)]: [
    admitted({ operationId: sampleId(1), merchantOperationId: 'a' }),
    started(),
    accepted(),
    {
      type: 'OperationCompleted',
      data: { ...paid('100.00', '2.50', '97.50'), legs: [leg('l1', '100.00')] },
    },
  ],
  [sampleId(2)]: [
    admitted({ operationId: sampleId(2), merchantOperationId: 'b' }),
    started(1, route({ provider: 'other' })),
    { type: 'AttemptRefused', data: { attempt: 1, reason: 'limit' } },
    started(2),
    accepted(2),
    { type: 'LegReceived', data: { attempt: 2, leg: leg('l2', '40.00') } },
    {
      type: 'OperationPartiallyCompleted',
      data: { ...paid('40.00', '1.00', '39.00'), legs: [], evidence: 'legs' },
    },
  ],
  [sampleId(3)]: [
    admitted({ operationId: sampleId(3), merchantOperationId: 'c' }),
    { type: 'OperationDeclined', data: { ...noMoney, reason: 'no_route' } },
  ],
  [sampleId(4)]: [
    admitted({ operationId: sampleId(4), merchantOperationId: 'd' }),
    started(),
    accepted(),
    { type: 'OperationExpired', data: noMoney },
  ],
  [sampleId(5)]: [
    admitted({ operationId: sampleId(5), merchantOperationId: 'e', type: 'payout' }),
    started(1, payout),
    { type: 'ReservationRequested', data: { reservation: 1, currency: 'RUB', amount: '102.50' } },
    { type: 'FundsReserved', data: { reservation: 1, attempt: 1 } },
    accepted(1),
  ],
};

const commands: LedgerCommand[] = [
  { kind: 'adjustment', adjustmentId: 'top-up', amount: '1000.00', reason: 'top-up' },
  { kind: 'credit', operationId: sampleId(1), recorded: '100.00', commission: '2.50' },
  { kind: 'credit', operationId: sampleId(2), recorded: '40.00', commission: '1.00' },
  { kind: 'reserve', operationId: sampleId(5), reservation: 1, amount: '102.50' },
  {
    kind: 'suspense',
    operationId: sampleId(4),
    legId: 'late-1',
    operationType: 'payment',
    amount: '60.00',
  },
];

/** Writes the sample. @returns the position of the last event */
export async function writeSampleLog(store: EventStore): Promise<bigint> {
  for (const [operationId, events] of Object.entries(histories)) {
    await append(store, operationStream(operationId), { events });
  }
  const whose = { operation_id: sampleId(4), shop_id: 'shop-1', merchant_id: 'merchant-1' };
  const late = {
    ...whose,
    attempt: 1,
    provider: 'sandbox',
    currency: 'RUB',
    leg: leg('late-1', '60.00'),
  };
  await append(store, lateStream(sampleId(4)), {
    events: [{ type: 'LateMoneyReceived', data: late }],
  });
  const item = {
    leg_id: 'l1',
    attempt: 1,
    provider: 'sandbox',
    amount: '100.00',
    synthetic: false,
  };
  const receiptItem = {
    ...item,
    receipt_id: sampleId(99),
    completed_at: '2026-01-31T12:00:05.000Z',
    file: true,
  };
  const evidence = {
    operation_id: sampleId(1),
    shop_id: 'shop-1',
    status: 'complete',
    items: [receiptItem],
  };
  await append(store, evidenceStream(sampleId(1)), {
    events: [{ type: 'EvidenceMaterialised', data: evidence }],
  });
  const entries = entriesOf('shop-1', 'RUB', commands).map((data) => ({
    type: 'EntryPosted',
    data,
  }));
  return append(store, ledgerStream('shop-1', 'RUB'), { events: entries });
}
