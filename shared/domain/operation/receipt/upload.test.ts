import { describe, expect, it } from 'vitest';
import { isPdf, noteSubmitted, receiptToSubmit, uploadReceipt } from './upload.ts';
import type { OperationEvent } from '../events.ts';
import type { Operation } from '../state.ts';
import { accepted, admitted, given, noMoney, started } from '../testing/given.ts';
import { viewOperation } from '../view.ts';
import { awaiting, receipt, uploaded, notAPdf, submitted, checked } from '../testing/receipts.ts';

describe('receipt upload (R9.4)', () => {
  it('is accepted if a receipt is expected, without a change of status', () => {
    const { state } = given(...awaiting)
      .when(uploadReceipt, receipt)
      .thenEvents(uploaded);
    expect(state).toMatchObject({ status: 'awaiting_confirmation', webhooks: 1 });
    expect(receiptToSubmit(state)).toBe('receipt-1');
  });

  it('starts a manual check as not_terminal if the file is not a PDF (R9.3)', () => {
    const { state } = given(...awaiting)
      .when(uploadReceipt, { ...receipt, pdf: false })
      .thenEvents(notAPdf, checked('not_terminal'));
    expect(viewOperation(state as Operation)).toMatchObject({
      status: 'manual_check',
      manual_check_reason: 'not_terminal',
    });
  });

  it('adds nothing with the same bytes, during and after the review', () => {
    const declined: OperationEvent = {
      type: 'OperationDeclined',
      data: { ...noMoney, reason: 'review' },
    };
    for (const more of [[], [checked()], [declined]]) {
      given(...awaiting, uploaded, ...more)
        .when(uploadReceipt, { ...receipt, receiptId: 'receipt-2' })
        .thenNothing();
    }
  });

  it('is refused with other bytes during the review, once terminal, or if not expected', () => {
    const other = { ...receipt, sha256: 'hash-2' };
    const expired: OperationEvent = { type: 'OperationExpired', data: noMoney };
    for (const history of [
      [],
      [admitted(), started(), accepted()],
      [...awaiting, uploaded],
      [...awaiting, uploaded, checked()],
      [...awaiting, expired],
    ]) {
      given(...history)
        .when(uploadReceipt, other)
        .thenRefused('confirmation_not_expected');
    }
  });
});

describe('provider’s answer to an upload', () => {
  it('is recorded once', () => {
    given(...awaiting, uploaded)
      .when(noteSubmitted, { receiptId: 'receipt-1', isAccepted: true })
      .thenEvents(submitted)
      .when(noteSubmitted, { receiptId: 'receipt-1', isAccepted: true })
      .thenNothing();
  });

  it('starts a manual check if it is a refusal (R9.8)', () => {
    const refused = { ...submitted, data: { ...submitted.data, taken: false } } as OperationEvent;
    given(...awaiting, uploaded)
      .when(noteSubmitted, { receiptId: 'receipt-1', isAccepted: false })
      .thenEvents(refused, checked('not_terminal'));
  });
});

it.each([
  [true, '%PDF-1.7\n'],
  [true, '\ufeff%PDF-1.4'],
  [true, `${'\n'.repeat(1_019)}%PDF-`],
  [false, `${'\n'.repeat(1_020)}%PDF-`],
  [false, '%PDF'],
  [false, '%pdf-1.4'],
  [false, 'PK\u0003\u0004 a document'],
  [false, ''],
])('recognises a PDF by its first bytes: %s', (expected, content) => {
  expect(isPdf(Buffer.from(content))).toBe(expected);
});
