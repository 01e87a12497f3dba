import { sql, type Kysely } from 'kysely';
import type { StatementOf } from '#shared/domain/statements/events.ts';
import { ledgerPosition } from './statement-ledger.ts';

/** As in `gateway.statement_days`; `difference` is null if the statement has no closing balance. */
export type StatementLedgerPosition = { ledger_position: string; difference: string | null };

/**
 * Reads all entries of the provider, however many: a person looking at one day waits this long at
 * most.
 */
const withinMs = 2_000;
const cancelled = '57014';

/**
 * The balance of the provider's account in the ledger at the end of a statement's day. Undefined:
 * not computed in time, or there is no such statement.
 */
export async function findLedgerPosition<DB>(
  db: Kysely<DB>,
  { provider, account, currency, day }: StatementOf,
  timeoutMs = withinMs,
): Promise<StatementLedgerPosition | undefined> {
  const find = sql<StatementLedgerPosition>`
    select p.ledger_position, (p.closing_balance - p.ledger_position)::numeric(38,2) as difference
    from (
      select s.closing_balance, (${sql.raw(ledgerPosition)}) as ledger_position from gateway.statements s
      where s.provider = ${provider} and s.account = ${account} and s.currency = ${currency}
        and s.day = ${day}::date) p`;
  try {
    return await db.transaction().execute(async (tx) => {
      await sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`.execute(tx);
      return (await find.execute(tx)).rows[0];
    });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === cancelled) return undefined;
    throw error;
  }
}
