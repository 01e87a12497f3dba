import { describe, expect, it } from 'vitest';
import { cancel, cancelOutcome, type CancelOperation } from './cancel.ts';
import { admit } from '../admission/admit.ts';
import type { OperationEvent } from '../events.ts';
import { evolve } from '../evolve.ts';
import { noOperation, type OperationState } from '../state.ts';
import {
  accepted,
  admitted,
  cancelled,
  create,
  given,
  leg,
  noMoney,
  started,
} from '../testing/given.ts';
import { sampleHistories } from '../testing/histories.ts';

const operationId = create().operationId;
const about = { operationId, shopId: 'shop-1', merchantId: 'merchant-1', reason: 'cancel' };
const byKey: CancelOperation = { ...about, merchantOperationId: 'order-1' };
const byId: CancelOperation = about;

const cancelledFirst: OperationEvent = {
  type: 'OperationCancelledBeforeCreate',
  data: {
    operation_id: operationId,
    shop_id: 'shop-1',
    merchant_id: 'merchant-1',
    merchant_operation_id: 'order-1',
    reason: 'cancel',
  },
};
const uploaded: OperationEvent = {
  type: 'ReceiptUploaded',
  data: { receipt_id: 'receipt-1', sha256: 'hash-1', size_bytes: 10, pdf: true },
};
const awaiting = accepted(1, { confirmation_required: true });

describe('cancel (R8.3)', () => {
  it('claims the key if it precedes the create (R17.3)', () => {
    given().when(cancel, byKey).thenEvents(cancelledFirst);
    given().when(cancel, byId).thenRefused('operation_not_found');
  });

  it('can be repeated by the key only if it precedes the create', () => {
    const history = given(cancelledFirst);
    history.when(cancel, byKey).thenNothing();
    history.when(cancel, byId).thenRefused('operation_not_found');
    expect(cancelOutcome(history.state)).toBe('cancelled');
  });

  it('turns a later create into a cancelled payment, with one webhook', () => {
    const history = given(cancelledFirst).when(admit, create()).thenEvents(admitted(), cancelled);
    expect(history.state).toMatchObject({ status: 'cancelled', attempts: [], webhooks: 1 });
    history.when(cancel, byId).thenNothing();
    history.when(admit, create()).thenRefused('already_admitted');
    history
      .when(admit, create({ body: { rest: 'other', whole: 'other' } }))
      .thenRefused('idempotency_body_mismatch');
  });

  it('rejects a later payout with the same key', () => {
    given(cancelledFirst)
      .when(admit, create({ type: 'payout' }))
      .thenRefused('idempotency_body_mismatch');
  });

  it('ends a payment that is being created, pending or waiting for a receipt', () => {
    given(admitted(), started()).when(cancel, byKey).thenEvents(cancelled);
    for (const open of [accepted(), awaiting]) {
      given(admitted(), started(), open).when(cancel, byId).thenEvents(cancelled);
    }
  });

  it('does not find an operation by an unpublished id (R8.8)', () => {
    given(admitted(), started()).when(cancel, byId).thenRefused('operation_not_found');
  });

  it('does not find an operation of another shop', () => {
    given(admitted(), started(), accepted())
      .when(cancel, { ...byId, shopId: 'shop-2' })
      .thenRefused('operation_not_found');
  });

  it('is refused while a receipt is under review, and with money (R8.5)', () => {
    given(admitted(), started(), awaiting, uploaded)
      .when(cancel, byId)
      .thenRefused('cancel_not_allowed');
    given(admitted(), started(), accepted(), {
      type: 'LegReceived',
      data: { attempt: 1, leg: leg('leg-1', '1.00') },
    })
      .when(cancel, byId)
      .thenRefused('cancel_not_allowed');
  });

  it('is refused for a payout in every state (R8.1)', () => {
    const refusal = { refusal: { code: 'cancel_payout_unsupported' } };
    const refused = new Set<string>();
    for (const { create: of, events } of sampleHistories(500, 1)) {
      if (of.type !== 'payout') continue;
      const { operationId: id, shopId, merchantId, merchantOperationId } = of;
      const command = { operationId: id, shopId, merchantId, reason: 'cancel' };
      let state: OperationState = noOperation;
      for (const event of events) {
        state = evolve(state, event);
        if (state.phase !== 'admitted') continue;
        expect(cancel(state, { ...command, merchantOperationId })).toEqual(refusal);
        // Until the create is answered, the merchant does not have the id of the operation.
        if (state.status === 'creating') continue;
        expect(cancel(state, command)).toEqual(refusal);
        refused.add(state.status);
      }
    }
    const statuses = ['completed', 'declined', 'partially_completed', 'pending'];
    expect([...refused].toSorted()).toEqual(statuses);
  });

  it('leaves a terminal operation unchanged, and returns whether it was cancelled (R8.4)', () => {
    const expired: OperationEvent = { type: 'OperationExpired', data: noMoney };
    for (const [end, outcome] of [
      [cancelled, 'cancelled'],
      [expired, 'already_terminal'],
    ] as const) {
      const history = given(admitted(), started(), accepted(), end);
      history.when(cancel, byId).thenNothing();
      expect(cancelOutcome(history.state)).toBe(outcome);
    }
  });
});
