import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ledgerStream, type Entry } from '#shared/domain/ledger/events.ts';
import { positionAfter } from '#shared/domain/ledger/position.ts';
import { fromMinor } from '#shared/domain/ledger/minor.ts';
import { storedExamples } from '#shared/domain/testing/stored-examples.ts';
import { reservationsIn, sumsOf } from '../testing/expect-books.ts';
import { anyLedgers } from '../testing/ledger-histories.ts';
import { storedEvents } from '../testing/stored-events.ts';
import { journalEntryRow, ledgerAfter, readLedgerEntry, reservationAfter } from './project.ts';
import type { LedgerRow, ReservationRow } from './tables.ts';

const posted = (stream: string, entries: readonly unknown[]) =>
  storedEvents(
    stream,
    entries.map((data) => ({ type: 'EntryPosted', data })),
  ).map(readLedgerEntry);

const noLeaf = { index: 0, hash: Buffer.alloc(32), at: new Date(0), merchantOperationId: null };

describe('rows of the ledger tables', () => {
  it('have each leg of an entry in its column, and the entry’s subject', () => {
    const [credit, reserve, capture, release, adjustment, suspense] = posted(
      'ledger-shop-1-RUB',
      storedExamples.ledger.map(({ data }) => data),
    ).map((entry) => journalEntryRow(entry, noLeaf));
    expect(credit).toMatchObject({
      kind: 'credit',
      to_provider: '-100.00',
      to_balance: '97.50',
      to_commission: '2.50',
      to_reserved: '0.00',
      balance_after: '97.50',
      revision: 0,
      reservation: null,
      actor: 'service:test',
    });
    expect(reserve).toMatchObject({ reservation: 1, to_balance: '-51.00', to_reserved: '51.00' });
    expect(capture).toMatchObject({
      to_reserved: '-51.00',
      to_provider: '30.00',
      to_balance: '20.40',
    });
    expect(release).toMatchObject({ reservation: 2, to_reserved: '0.00', to_balance: '0.00' });
    expect(adjustment).toMatchObject({
      operation_id: null,
      adjustment_id: 'invoice-7',
      reason: 'withdrawal',
      to_external: '100.00',
    });
    expect(suspense).toMatchObject({ leg_id: 'leg-1', to_suspense: '60.00', to_balance: '0.00' });
  });

  it('have the outcome of a reservation', () => {
    const [, reserve, capture, blocked] = posted(
      'ledger-shop-1-RUB',
      storedExamples.ledger.map(({ data }) => data),
    );
    if (!reserve || !capture || !blocked) throw new Error('examples are missing');
    const open = reservationAfter(undefined, reserve);
    expect(open).toMatchObject({
      status: 'open',
      amount: '51.00',
      opened_revision: 1,
      closed_at: null,
    });
    expect(reservationAfter(open, capture)).toMatchObject({
      status: 'captured',
      amount: '51.00',
      opened_revision: 1,
      closed_revision: 2,
      recorded_amount: '30.00',
      commission_amount: '0.60',
      returned_amount: '20.40',
    });
    expect(reservationAfter(undefined, blocked)).toMatchObject({
      status: 'void',
      amount: '0.00',
      opened_at: null,
      returned_amount: '0.00',
    });
  });

  it('equal the fold of the ledger after every entry of all legal histories', () => {
    fc.assert(
      fc.property(anyLedgers, (ledgers) => {
        for (const { shopId, currency, entries } of ledgers) {
          const reservations = new Map<string, ReservationRow>();
          let ledger: LedgerRow | undefined;
          posted(ledgerStream(shopId, currency), entries).forEach((each, index) => {
            ledger = ledgerAfter(ledger, each);
            const { balance, reserved } = positionAfter(entries[index] as Entry, index);
            expect(ledger).toMatchObject({
              ...sumsOf(entries.slice(0, index + 1)),
              balance: fromMinor(balance),
              reserved: fromMinor(reserved),
              revision: index,
            });
            if (!('reservation' in each.entry)) return;
            const key = `${each.entry.operation_id} ${each.entry.reservation}`;
            const after = reservationAfter(reservations.get(key), each);
            if (after) reservations.set(key, after);
          });
          const outcomes = [...reservations].map(([key, { status, amount }]) => [
            key,
            { status, amount },
          ]);
          expect(Object.fromEntries(outcomes)).toEqual(reservationsIn(entries));
        }
      }),
      { numRuns: 200 },
    );
  });
});
