import { sql, type RawBuilder } from 'kysely';
import { foreign, own, timeColumn, type CsvQuery } from '#shared/platform/csv/columns.ts';
import type { StatementPlan } from '../ledger/statement.ts';

/**
 * What a statement shows, without its proofs: its entries, before them a row `opening` and after
 * them a row `closing`, each with the balance and the time.
 */
export function merchantStatementCsv(plan: StatementPlan): CsvQuery {
  const { shopId, currency, from, to, first, end, opening, closing } = plan;
  return {
    columns: [
      own('currency', sql`${currency}::text`),
      own('kind'),
      own('entry_id'),
      own('operation_id'),
      foreign('merchant_operation_id'),
      own('amount', sql.ref('to_balance')),
      own('reserved', sql.ref('reserved_after')),
      own('balance', sql.ref('balance_after')),
      timeColumn('at', sql.ref('statement_at')),
    ],
    before: edge('opening', opening, from),
    from: sql`from gateway.journal_entries
      where shop_id = ${shopId} and currency = ${currency}
        and revision >= ${first} and revision < ${end}
      order by revision`,
    after: edge('closing', closing, to),
  };
}

const edge = (kind: string, balance: string, at: Date): RawBuilder<unknown> => sql`from (
  select ${kind} as kind, null as entry_id, null as operation_id, null as merchant_operation_id,
    null as to_balance, null as reserved_after, ${balance} as balance_after,
    ${at}::timestamptz as statement_at) as edge`;
