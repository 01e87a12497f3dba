import { sql, type Kysely } from 'kysely';
import { expect } from 'vitest';
import { accounts, type LedgerAccount, type Entry } from '#shared/domain/ledger/events.ts';
import { fromMinor } from '#shared/domain/ledger/minor.ts';
import { moved } from '#shared/domain/ledger/position.ts';
import type { Books } from './ledger-histories.ts';

/** The sums per account, calculated independently of the shipped code. */
export function sumsOf(entries: readonly Entry[]): Record<LedgerAccount, string> {
  return Object.fromEntries(
    accounts.map((account) => [
      account,
      fromMinor(entries.reduce((total, entry) => total + moved(entry, account), 0n)),
    ]),
  ) as Record<LedgerAccount, string>;
}

/** Every reservation of the entries, with its outcome. */
export function reservationsIn(
  entries: readonly Entry[],
): Record<string, { status: string; amount: string }> {
  const found: Record<string, { status: string; amount: string }> = {};
  for (const entry of entries) {
    if (!('reservation' in entry)) continue;
    const key = `${entry.operation_id} ${entry.reservation}`;
    const open = found[key];
    if (entry.kind === 'reserve')
      found[key] = { status: 'open', amount: fromMinor(moved(entry, 'reserved')) };
    else if (entry.kind === 'capture')
      found[key] = { status: 'captured', amount: open?.amount ?? '0.00' };
    else found[key] = open ? { ...open, status: 'released' } : { status: 'void', amount: '0.00' };
  }
  return found;
}

/** Expects exactly these ledgers in the tables, without a violation. */
export async function expectTablesToHold(
  db: Kysely<unknown>,
  given: readonly Books[],
): Promise<void> {
  const nonEmpty = given.filter(({ entries }) => entries.length > 0);
  const ledgers = await sql<Record<string, unknown>>`
    select shop_id, currency, balance::text, reserved::text, commission::text, provider::text, suspense::text,
      external::text, revision
    from gateway.ledgers order by shop_id, currency`.execute(db);
  const expected = nonEmpty.map(({ shopId, currency, entries }) => ({
    shop_id: shopId,
    currency,
    ...sumsOf(entries),
    revision: entries.length - 1,
  }));
  const key = (row: Record<string, unknown>) =>
    `${String(row['shop_id'])} ${String(row['currency'])}`;
  const sorted = expected.toSorted((left, right) => (key(left) < key(right) ? -1 : 1));
  expect(ledgers.rows).toEqual(sorted);

  const rows = await sql<{ key: string; status: string; amount: string }>`
    select operation_id || ' ' || reservation as key, status, amount::text from gateway.reservations`.execute(
    db,
  );
  expect(Object.fromEntries(rows.rows.map(({ key: name, ...rest }) => [name, rest]))).toEqual(
    Object.assign({}, ...nonEmpty.map(({ entries }) => reservationsIn(entries))),
  );
  const journal = await sql<{ entries: number; violations: number }>`
    select (select count(*)::int from gateway.journal_entries) as entries,
      (select count(*)::int from gateway.ledger_violations) as violations`.execute(db);
  const entries = nonEmpty.reduce((sum, each) => sum + each.entries.length, 0);
  expect(journal.rows).toEqual([{ entries, violations: 0 }]);
}
