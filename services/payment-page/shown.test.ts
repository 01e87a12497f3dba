import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import {
  accepted,
  admitted,
  given,
  leg,
  noMoney,
  route,
  started,
} from '#shared/domain/operation/testing/given.ts';
import { histories } from '#shared/domain/operation/testing/histories.ts';
import { isTerminal, type Operation } from '#shared/domain/operation/state.ts';
import { isFinal, shownOf, versionOf } from './shown.ts';
import { nowMs } from './testing/payments.ts';

const shown = (...events: OperationEvent[]) => shownOf(given(...events).state as Operation, nowMs);
const pending = [admitted(), started(), accepted()];
const receiptWanted = [
  admitted(),
  started(1, route({ requires_receipt: true })),
  accepted(1, { confirmation_required: true }),
];
const uploaded: OperationEvent = {
  type: 'ReceiptUploaded',
  data: { receipt_id: 'r-1', sha256: 'ab', size_bytes: 9, pdf: true },
};

describe('a page shows', () => {
  it('where to pay what, and nothing of the merchant’s figures', () => {
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

  it('what is missing where money came in part', () => {
    const part: OperationEvent = {
      type: 'LegReceived',
      data: { attempt: 1, leg: leg('a', '40.00') },
    };
    expect(shown(...pending, part)).toMatchObject({ received: '40.00', toPay: '60.00' });
  });

  it('no requisites once their time is over', () => {
    const at = (expires_at: string) => shown(admitted(), started(), accepted(1, { expires_at }));
    expect(at('2026-01-31T12:00:00.001Z')).toMatchObject({ overdue: false, destination: {} });
    expect(at('2026-01-31T12:00:00.000Z')).toMatchObject({ overdue: true });
    expect(at('2026-01-31T12:00:00.000Z')).not.toHaveProperty('destination');
  });

  it('the states of a receipt: requested, under review, requested again', () => {
    const flagged: OperationEvent = {
      type: 'ManualCheckStarted',
      data: { receipt_id: 'r-1', reason: 'not_terminal' },
    };
    const again: OperationEvent = {
      type: 'ReviewDecided',
      data: { receipt_id: 'r-1', decision: 'ask_again', note: '' },
    };
    expect(shown(...receiptWanted)).toMatchObject({ state: 'awaiting', receipt: 'wanted' });
    expect(shown(...receiptWanted, uploaded)).toMatchObject({ state: 'review' });
    expect(shown(...receiptWanted, uploaded, flagged)).toMatchObject({ state: 'review' });
    expect(shown(...receiptWanted, uploaded, flagged, again)).toMatchObject({
      state: 'awaiting',
      receipt: 'again',
    });
  });

  it('nothing but the word of a cancelled payment (R15.5)', () => {
    const cancelled: OperationEvent = {
      type: 'OperationCancelled',
      data: { ...noMoney, reason: 'cancel' },
    };
    expect(shown(...pending, cancelled)).toEqual({ state: 'cancelled' });
  });

  it('nothing of a payout, nor of what is still being created', () => {
    expect(shown(admitted(), started())).toBeUndefined();
    const payout = route({ type: 'payout' });
    expect(shown(admitted({ type: 'payout' }), started(1, payout), accepted())).toBeUndefined();
  });
});

describe('whatever happened to an operation', () => {
  const states = histories.map(({ events }) =>
    events
      .map((_, end) => fold(events.slice(0, end + 1)))
      .filter((state) => state.phase === 'admitted'),
  );

  it('requisites are shown while it can be paid, and never after (R15.1)', () => {
    fc.assert(
      fc.property(states, (life) => {
        for (const state of life) {
          const page = shownOf(state, nowMs);
          const requisites = state.accepted?.requisites;
          const number = requisites && 'number' in requisites ? requisites.number : 'none';
          const payable = state.status === 'pending' || state.status === 'awaiting_confirmation';
          expect(state.type === 'payout' && page !== undefined).toBe(false);
          expect(!payable && JSON.stringify(page ?? '').includes(number)).toBe(false);
          expect(page === undefined || isFinal(page) === isTerminal(state.status)).toBe(true);
        }
      }),
    );
  });

  it('another page has another version', () => {
    fc.assert(
      fc.property(states, (life) => {
        const pages = life
          .map((state) => shownOf(state, nowMs))
          .filter((page) => page !== undefined);
        const contents = new Map(pages.map((page) => [versionOf(page), JSON.stringify(page)]));
        for (const page of pages) expect(JSON.stringify(page)).toBe(contents.get(versionOf(page)));
      }),
    );
  });
});
