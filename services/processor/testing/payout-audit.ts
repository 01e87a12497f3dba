import { expect } from 'vitest';
import { isTerminalEventType, operationStream } from '#shared/domain/operation/events.ts';
import { isTerminal } from '#shared/domain/operation/state.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { readOperation } from '#shared/application/operations/streams.ts';
import { accountBalance, journalOf } from './journal.ts';

/** The outcome of a payout, for counting. */
export type PayoutSummary = {
  status: string;
  reserves: number;
  captures: number;
  releases: number;
  submissions: number;
};

type Submission = { key: string; times: number; acceptance: string; status: string };

/**
 * Checks a terminal payout, the only one of its shop: one terminal status; one reserve for each
 * FundsReserved, and none twice; each requested reservation closed once; each key submitted once; a
 * consistent ledger.
 */
export async function auditPayout(
  store: EventStore,
  { shopId, operationId, sandboxUrl }: { shopId: string; operationId: string; sandboxUrl: string },
): Promise<PayoutSummary> {
  const events = await store.read(operationStream(operationId));
  expect(events.filter(({ type }) => isTerminalEventType(type))).toHaveLength(1);
  const operation = await readOperation(store, operationId);
  if (!operation || !isTerminal(operation.status)) throw new Error('the payout has not ended');
  const { settled } = operation;

  const currencies = [
    ...new Set(['RUB', ...operation.reservations.map(({ currency }) => currency)]),
  ];
  const journals = await Promise.all(
    currencies.map((currency) => journalOf(store, shopId, currency)),
  );
  const entries = journals.flat().map(({ entry }) => entry);
  const of = (reservation: number, ...kinds: string[]) =>
    entries.filter(
      (entry) =>
        kinds.includes(entry.kind) && 'reservation' in entry && entry.reservation === reservation,
    );
  for (const { reservation, noted } of operation.reservations) {
    const reserves = of(reservation, 'reserve').length;
    expect(noted ? [1] : [0, 1]).toContain(reserves);
    expect(of(reservation, 'capture', 'release')).toHaveLength(1);
  }
  expect(entries).toHaveLength(
    operation.reservations.flatMap(({ reservation }) =>
      of(reservation, 'reserve', 'capture', 'release'),
    ).length,
  );
  // The shop is charged the settlement amount, in its currency; nothing stays reserved.
  const charged = settled?.settlement_amount ?? '0.00';
  const balances = journals.map((journal) => accountBalance(journal, 'balance'));
  expect(balances.filter((balance) => balance !== '0.00')).toEqual(
    charged === '0.00' ? [] : [`-${charged}`],
  );
  for (const journal of journals) expect(accountBalance(journal, 'reserved')).toBe('0.00');

  const seen = await fetch(`${sandboxUrl}/control/operations/${operationId}`);
  const { submissions = [] } = (await seen.json()) as { submissions?: Submission[] };
  expect(new Set(submissions.map(({ key }) => key)).size).toBe(submissions.length);
  for (const { times } of submissions) expect(times).toBe(1);
  // The provider has the same terminal status, so nothing that was released is paid out.
  const accepted = submissions.filter(({ acceptance }) => acceptance === 'accepted');
  expect(accepted.map(({ status }) => status)).toEqual(
    accepted.length === 0 ? [] : [operation.status],
  );
  if (accepted.length === 0) expect(operation.status).toBe('declined');
  return {
    status: operation.status,
    reserves: entries.filter(({ kind }) => kind === 'reserve').length,
    captures: entries.filter(({ kind }) => kind === 'capture').length,
    releases: entries.filter(({ kind }) => kind === 'release').length,
    submissions: submissions.length,
  };
}
