import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toDeclineReason } from '#shared/domain/operation/ends/decline-reason.ts';
import type { OperationEvent, Requisites } from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import { histories } from '#shared/domain/operation/testing/histories.ts';
import { admitted, create as createOf, route } from '#shared/domain/operation/testing/given.ts';
import { expectRowToEqualFold } from '../testing/expect-fold.ts';
import { storedEvents } from '../testing/stored-events.ts';
import { projectOperation } from './project.ts';
import type { OperationRow } from './table.ts';

const rowOf = (...events: OperationEvent[]) =>
  storedEvents('operation-1', events).reduce<OperationRow | undefined>(projectOperation, undefined);

const started: OperationEvent = { type: 'AttemptStarted', data: { attempt: 1, route: route() } };
const acceptedAt = (requisites: Requisites): OperationEvent => ({
  type: 'AttemptAccepted',
  data: {
    attempt: 1,
    provider_reference: 'ref-1',
    requisites,
    expires_at: '2026-01-31T12:30:00.000Z',
    confirmation_required: true,
  },
});
const accepted = acceptedAt({ number: '2200000000000004' });

describe('a row of operations', () => {
  it('has route and expected figures from the attempt, other fields from its acceptance', () => {
    const row = rowOf(admitted(), started, accepted);
    expect(row).toMatchObject({
      status: 'awaiting_confirmation',
      provider: 'sandbox',
      route_priority: 1,
      settlement_amount: '97.50',
      commission_amount: '2.50',
      confirmation_required: true,
      attempts: [{ attempt: 1, outcome: 'accepted', provider_reference: 'ref-1' }],
      expires_at: new Date('2026-01-31T12:30:00.000Z'),
      ended_at: null,
      revision: 2,
    });
    expect(row?.accepted_at).toEqual(row?.updated_at);
  });

  it('contains no requisites', () => {
    expect(JSON.stringify(rowOf(admitted(), started, accepted))).not.toContain('2200000000000004');
  });

  it('has the bank of a payout’s destination or of a payment’s requisites', () => {
    const bank = { bankname: 'sberbank', bankname_details: 'Сбербанк' };
    expect(rowOf(admitted(), started)).toMatchObject({ bankname: null, bankname_details: null });
    const acceptedWithBank = acceptedAt({ number: '+79001234567', ...bank });
    expect(rowOf(admitted(), started, acceptedWithBank)).toMatchObject(bank);
    const destination = { sealed: 'v1.x', ...bank };
    const payout = admitted({ type: 'payout', request: { ...createOf().request, destination } });
    expect(rowOf(payout)).toMatchObject(bank);
    expect(rowOf(payout, started, acceptedAt({ number: '1', bankname: 'vtb' }))).toMatchObject(
      bank,
    );
  });

  it('has the reserved amount of a payout, and the time of the reservation', () => {
    const payout = route({ type: 'payout' });
    const requestedEvents: OperationEvent[] = [
      admitted({ type: 'payout' }),
      { type: 'AttemptStarted', data: { attempt: 1, route: payout } },
      { type: 'ReservationRequested', data: { reservation: 1, currency: 'RUB', amount: '102.50' } },
    ];
    const requested = { reservation: 1, reserved_currency: 'RUB', reserved_amount: '102.50' };
    expect(rowOf(...requestedEvents)).toMatchObject({ ...requested, reserved_at: null });
    const fundsReserved: OperationEvent = {
      type: 'FundsReserved',
      data: { reservation: 1, attempt: 1 },
    };
    const refused: OperationEvent = {
      type: 'AttemptRefused',
      data: { attempt: 1, reason: 'limit' },
    };
    const next: OperationEvent[] = [
      { type: 'AttemptStarted', data: { attempt: 2, route: { ...payout, provider: 'other' } } },
      { type: 'FundsReserved', data: { reservation: 1, attempt: 2 } },
    ];
    const row = rowOf(...requestedEvents, fundsReserved, refused, ...next);
    expect(row).toMatchObject({
      ...requested,
      reserved_at: rowOf(...requestedEvents, fundsReserved)?.updated_at,
      provider: 'other',
    });
    expect(row?.attempts).toMatchObject([
      {
        started_at: '2026-01-31T12:00:01.000Z',
        answered_at: '2026-01-31T12:00:04.000Z',
        outcome: 'refused',
      },
      { started_at: '2026-01-31T12:00:05.000Z', outcome: 'started' },
    ]);
  });

  it('names the reviewer of a receipt, without the review’s note', () => {
    const receipt_id = 'receipt-1';
    const uploaded = { receipt_id, sha256: 'aa', size_bytes: 10, pdf: false };
    const row = rowOf(
      admitted(),
      started,
      accepted,
      { type: 'ReceiptUploaded', data: uploaded },
      { type: 'ManualCheckStarted', data: { receipt_id, reason: 'not_terminal' } },
      {
        type: 'ReviewDecided',
        data: { receipt_id, decision: 'ask_again', note: 'card 2200000000000004' },
      },
    );
    expect(row).toMatchObject({
      status: 'awaiting_confirmation',
      receipts_count: 1,
      receipt_uploaded_at: new Date('2026-01-31T12:00:03.000Z'),
      manual_check_reason: null,
      review_decision: 'ask_again',
      reviewed_by: 'service:test',
      reviewed_at: row?.updated_at,
      statuses_count: 4,
      status_since: row?.updated_at,
    });
    expect(JSON.stringify(row)).not.toContain('2200000000000004');
  });

  it('rejects an event before the admission, a second admission and an unknown event', () => {
    expect(() => rowOf(started)).toThrow(/begins with its admission/);
    expect(() => rowOf(admitted(), admitted())).toThrow(/admitted before/);
    expect(() => rowOf(admitted(), accepted)).toThrow(/no attempt 1/);
    expect(() => rowOf({ type: 'Surprise', data: {} } as never)).toThrow(
      /unknown operation event Surprise/,
    );
  });

  it('equals the fold of the stream after every event of every legal history', () => {
    fc.assert(
      fc.property(histories, ({ create, events }) => {
        let row: OperationRow | undefined;
        const all = storedEvents(`operation-${create.operationId}`, events);
        all.forEach((stored, index) => {
          row = projectOperation(row, stored);
          const state = fold(events.slice(0, index + 1));
          // A cancel before the create makes no row; every other event does.
          expect(row === undefined).toBe(state.phase === 'cancelled_first');
          if (state.phase !== 'admitted' || !row) return;
          expectRowToEqualFold(row, state, all);
          expect(row).toMatchObject({
            status: state.status,
            revision: state.revision,
            shop_id: state.shopId,
            merchant_operation_id: state.merchantOperationId,
            decline_reason: state.declineCause ? toDeclineReason(state.declineCause) : null,
            legs_count: state.legs.length,
            attempts_count: state.attempts.length,
            attempts: state.attempts.map(({ attempt, outcome }) => ({ attempt, outcome })),
          });
        });
      }),
      { numRuns: 150 },
    );
  });
});
