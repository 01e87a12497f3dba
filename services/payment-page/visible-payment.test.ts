import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import {
  accepted,
  admitted,
  cancelled,
  given,
  leg,
  route,
  started,
} from '#shared/domain/operation/testing/given.ts';
import { histories } from '#shared/domain/operation/testing/histories.ts';
import { isTerminal, type Operation } from '#shared/domain/operation/state.ts';
import { isFinal, toVisiblePayment, computePageVersion } from './visible-payment.ts';
import { nowMs } from './testing/payments.ts';

const shown = (...events: OperationEvent[]) =>
  toVisiblePayment(given(...events).state as Operation, nowMs);
const pending = [admitted(), started(), accepted()];
const receiptRequired = [
  admitted(),
  started(1, route({ requires_receipt: true })),
  accepted(1, { confirmation_required: true }),
];
const uploaded: OperationEvent = {
  type: 'ReceiptUploaded',
  data: { receipt_id: 'r-1', sha256: 'ab', size_bytes: 9, pdf: true },
};

describe('toVisiblePayment', () => {
  it('returns the amount and the requisites, and no figures of the merchant', () => {
    expect(shown(...pending)).toEqual({
      state: 'awaiting',
      expected: '100.00',
      received: '0.00',
      toPay: '100.00',
      currency: 'RUB',
      overdue: false,
      destination: {
        method: 'WT_RUB_C2C',
        number: '2200123456789012',
        name: 'IVAN I',
        bank: { code: 'sberbank', name: 'Сбербанк' },
      },
    });
  });

  it('returns the remaining amount after a part was received', () => {
    const part: OperationEvent = {
      type: 'LegReceived',
      data: { attempt: 1, leg: leg('a', '40.00') },
    };
    expect(shown(...pending, part)).toMatchObject({ received: '40.00', toPay: '60.00' });
  });

  it('omits the requisites after the payable window', () => {
    const at = (expires_at: string) => shown(admitted(), started(), accepted(1, { expires_at }));
    expect(at('2026-01-31T12:00:00.001Z')).toMatchObject({ overdue: false, destination: {} });
    expect(at('2026-01-31T12:00:00.000Z')).toMatchObject({
      overdue: true,
      destination: undefined,
    });
  });

  it('returns whether a receipt is wanted, under review or wanted again', () => {
    const flagged: OperationEvent = {
      type: 'ManualCheckStarted',
      data: { receipt_id: 'r-1', reason: 'not_terminal' },
    };
    const again: OperationEvent = {
      type: 'ReviewDecided',
      data: { receipt_id: 'r-1', decision: 'ask_again', note: '' },
    };
    expect(shown(...receiptRequired)).toMatchObject({ state: 'awaiting', receipt: 'wanted' });
    expect(shown(...receiptRequired, uploaded)).toMatchObject({ state: 'review' });
    expect(shown(...receiptRequired, uploaded, flagged)).toMatchObject({ state: 'review' });
    expect(shown(...receiptRequired, uploaded, flagged, again)).toMatchObject({
      state: 'awaiting',
      receipt: 'again',
    });
  });

  it('returns only the state of a cancelled payment (R15.5)', () => {
    expect(shown(...pending, cancelled)).toEqual({ state: 'cancelled' });
  });
});

describe('for any history of an operation', () => {
  const states = histories.map(({ events }) =>
    events
      .map((_, end) => fold(events.slice(0, end + 1)))
      .filter((state) => state.phase === 'admitted'),
  );

  it('shows the amount and the requisites while it can be paid, and only then (R15.1)', () => {
    let shownWhilePayable = 0;
    fc.assert(
      fc.property(states, (history) => {
        for (const state of history) {
          const page = toVisiblePayment(state, nowMs);
          const requisites = state.accepted?.requisites;
          const number = requisites && 'number' in requisites ? requisites.number : 'none';
          const isOpen = state.status === 'pending' || state.status === 'awaiting_confirmation';
          const isPayable =
            isOpen && state.type === 'payment' && number !== 'none' && !state.receiptUnderReview;
          const awaiting = page?.state === 'awaiting' ? page : undefined;
          expect(isPayable ? [awaiting?.expected, awaiting?.destination?.number] : []).toEqual(
            isPayable ? [state.request.amount, number] : [],
          );
          if (isPayable) shownWhilePayable += 1;
          expect(state.type === 'payout' && page !== undefined).toBe(false);
          expect(!isPayable && JSON.stringify(page ?? '').includes(number)).toBe(false);
          expect(page === undefined || isFinal(page) === isTerminal(state.status)).toBe(true);
        }
      }),
    );
    expect(shownWhilePayable).toBeGreaterThan(0);
  });

  it('gives different pages different versions', () => {
    fc.assert(
      fc.property(states, (history) => {
        const pages = history
          .map((state) => toVisiblePayment(state, nowMs))
          .filter((page) => page !== undefined);
        const contents = new Map(
          pages.map((page) => [computePageVersion(page), JSON.stringify(page)]),
        );
        for (const page of pages)
          expect(JSON.stringify(page)).toBe(contents.get(computePageVersion(page)));
      }),
    );
  });
});
