import { describe, expect, it } from 'vitest';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import {
  accepted,
  admitted,
  leg,
  noMoney,
  paid,
  started,
} from '#shared/domain/operation/testing/given.ts';
import type { RowChange } from '../rows/row-per-stream.ts';
import { storedEvents } from '../testing/stored-events.ts';
import { projectLegs } from './legs.ts';
import { projectOperation } from './project.ts';
import { projectStatuses } from './status-history.ts';
import type { OperationRow } from './table.ts';
import { afterEvent, type UploadedReceiptRow } from './uploaded-receipts.ts';

function changesOf(...events: OperationEvent[]): RowChange<OperationRow>[] {
  let before: OperationRow | undefined;
  return storedEvents('operation-1', events).map((event) => {
    const after = projectOperation(before, event);
    if (!after) throw new Error('an operation begins with its admission');
    const change = { before, after, event };
    before = after;
    return change;
  });
}

const receiptsAfter = (changes: readonly RowChange<OperationRow>[]) =>
  changes.reduce<readonly UploadedReceiptRow[]>(
    (rows, { after, event }) => afterEvent(rows, after, event),
    [],
  );

const receipt_id = 'receipt-1';
const uploaded: OperationEvent = {
  type: 'ReceiptUploaded',
  data: { receipt_id, sha256: 'aa', size_bytes: 10, pdf: true },
};
const flagged: OperationEvent = {
  type: 'ManualCheckStarted',
  data: { receipt_id, reason: 'potential_fake' },
};
const declined: OperationEvent = {
  type: 'OperationDeclined',
  data: { ...noMoney, reason: 'review' },
};

describe('status history of an operation', () => {
  const changes = changesOf(
    admitted(),
    started(),
    accepted(1, { confirmation_required: true }),
    uploaded,
    flagged,
    declined,
  );

  it('has no gaps, and the duration of each status', () => {
    const { entered, left } = projectStatuses(changes);
    expect(left).toEqual([]);
    expect(entered).toMatchObject([
      {
        number: 1,
        status: 'creating',
        duration: '2000 milliseconds',
        next_status: 'awaiting_confirmation',
      },
      {
        number: 2,
        status: 'awaiting_confirmation',
        duration: '2000 milliseconds',
        next_status: 'manual_check',
      },
      { number: 3, status: 'manual_check', duration: '1000 milliseconds', next_status: 'declined' },
      {
        number: 4,
        status: 'declined',
        left_at: null,
        duration: null,
        next_status: null,
        revision: 5,
      },
    ]);
    entered
      .slice(1)
      .forEach((row, index) => expect(row.entered_at).toEqual(entered[index]?.left_at));
  });

  it('closes the status of an earlier batch', () => {
    expect(projectStatuses(changes.slice(5))).toMatchObject({
      entered: [{ number: 4, status: 'declined' }],
      left: [{ number: 3, duration: '1000 milliseconds', next_status: 'declined' }],
    });
  });
});

describe('legs of an operation', () => {
  it('contain partial and final transfers, with their provider', () => {
    const legs = projectLegs(
      changesOf(
        admitted(),
        started(),
        accepted(),
        { type: 'LegReceived', data: { attempt: 1, leg: leg('l1', '40.00') } },
        {
          type: 'OperationCompleted',
          data: {
            ...paid('100.00', '2.50', '97.50'),
            legs: [{ ...leg('l2', '60.00'), synthetic: true }],
          },
        },
      ),
    );
    expect(legs).toMatchObject([
      {
        leg_id: 'l1',
        amount: '40.00',
        attempt: 1,
        provider: 'sandbox',
        synthetic: false,
        currency: 'RUB',
      },
      { leg_id: 'l2', amount: '60.00', attempt: 1, provider: 'sandbox', synthetic: true },
    ]);
  });
});

describe('an uploaded receipt', () => {
  const open = [admitted(), started(), accepted(1, { confirmation_required: true })];

  it('is updated by submission, flag, decision and terminal status', () => {
    const submitted: OperationEvent = {
      type: 'ReceiptSubmitted',
      data: { receipt_id, attempt: 1, taken: true },
    };
    const decided: OperationEvent = {
      type: 'ReviewDecided',
      data: { receipt_id, decision: 'decline', note: 'forged' },
    };
    expect(receiptsAfter(changesOf(...open, uploaded, submitted))).toMatchObject([
      { number: 1, status: 'under_review', pdf: true, provider_took: true, flagged_at: null },
    ]);
    expect(receiptsAfter(changesOf(...open, uploaded, submitted, flagged))).toMatchObject([
      { status: 'manual_check', flag_reason: 'potential_fake' },
    ]);
    expect(
      receiptsAfter(changesOf(...open, uploaded, submitted, flagged, decided, declined)),
    ).toMatchObject([
      { status: 'closed', decision: 'decline', decided_by: 'service:test', position: '800' },
    ]);
  });

  it('is not changed by the next one after ask_again', () => {
    const askAgain: OperationEvent = {
      type: 'ReviewDecided',
      data: { receipt_id, decision: 'ask_again', note: '' },
    };
    const second: OperationEvent = {
      type: 'ReceiptUploaded',
      data: { receipt_id: 'receipt-2', sha256: 'bb', size_bytes: 10, pdf: true },
    };
    expect(receiptsAfter(changesOf(...open, uploaded, flagged, askAgain, second))).toMatchObject([
      { receipt_id, number: 1, status: 'ask_again', decision: 'ask_again' },
      { receipt_id: 'receipt-2', number: 2, status: 'under_review', decision: null },
    ]);
  });
});
