import { sql, type Kysely } from 'kysely';
import { Gauge } from 'prom-client';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import { readForScrape } from '#shared/platform/metrics/reading.ts';
import { clocksMs } from './as-of.ts';
import { liveSchema } from './read-model.ts';
import { moneyKinds } from './suspense/table.ts';

const suspenseKinds = [...moneyKinds, 'late_status', 'late_correction', 'overcharge'] as const;

type Row = {
  what: 'reservations' | 'ledgers_in_future' | 'unsigned' | (typeof suspenseKinds)[number];
  count: number;
  age_s: number;
};

/**
 * Open reservations, undecided late facts and ledgers that are not signed, from the read models.
 * The same on every instance. Only counts: amounts don't belong in metrics.
 */
export function registerOpenFigures<DB>(
  registry: Metrics,
  db: Kysely<DB>,
  now: () => number = Date.now,
): void {
  const read = readForScrape(() => readOpen(db, now()));
  const of = (rows: readonly Row[], what: Row['what']) => rows.find((row) => row.what === what);
  const gauge = (
    { name, help, labelNames }: { name: string; help: string; labelNames?: string[] },
    show: (gauge: Gauge, rows: readonly Row[]) => void,
  ) =>
    new Gauge({
      name: `gateway_${name}`,
      help,
      labelNames: labelNames ?? [],
      registers: [registry],
      async collect() {
        const rows = await read();
        this.reset();
        if (rows) show(this, rows);
        // A gauge without labels shows 0 after a reset, which may be wrong.
        else if (!labelNames) this.set(Number.NaN);
      },
    });

  gauge(
    {
      name: 'reservations_open',
      help: 'Reservations for payouts that are neither captured nor released',
    },
    (made, rows) => made.set(of(rows, 'reservations')?.count ?? 0),
  );
  gauge(
    {
      name: 'reservations_oldest_open_age_seconds',
      help: 'Age of the oldest of them; 0: none',
    },
    (made, rows) => made.set(of(rows, 'reservations')?.age_s ?? 0),
  );
  const future =
    'Ledgers whose newest entry or checkpoint lies in the future of this clock: none is signed';
  gauge({ name: 'ledgers_in_future', help: future }, (made, rows) =>
    made.set(of(rows, 'ledgers_in_future')?.count ?? 0),
  );
  const unsigned =
    'How long the oldest ledger entry that no signed checkpoint covers has been there; 0: none';
  gauge({ name: 'ledger_entries_oldest_unsigned_age_seconds', help: unsigned }, (made, rows) =>
    made.set(of(rows, 'unsigned')?.age_s ?? 0),
  );
  gauge(
    {
      name: 'suspense_open',
      help: 'Late facts from providers that no operator has resolved, by kind',
      labelNames: ['kind'],
    },
    (made, rows) => {
      for (const kind of suspenseKinds) made.set({ kind }, of(rows, kind)?.count ?? 0);
    },
  );
  gauge(
    {
      name: 'suspense_oldest_open_age_seconds',
      help: 'Age of the oldest of them, by kind; 0: none',
      labelNames: ['kind'],
    },
    (made, rows) => {
      for (const kind of suspenseKinds) made.set({ kind }, of(rows, kind)?.age_s ?? 0);
    },
  );
}

/** Uses indexes that cover only open rows; of trees, one for each ledger, it reads all. */
async function readOpen<DB>(db: Kysely<DB>, nowMs: number): Promise<Row[]> {
  const age = (column: string) =>
    sql`coalesce(extract(epoch from now() - min(${sql.ref(column)})), 0)::float8 as age_s`;
  const { rows } = await sql<Row>`
    select 'reservations' as what, count(*)::float8 as count, ${age('opened_at')}
    from ${sql.table(`${liveSchema}.reservations`)} where status = 'open'
    union all
    select 'ledgers_in_future', count(*)::float8, 0
    from ${sql.table(`${liveSchema}.ledger_trees`)}
    where greatest(newest_at, signed_at)
      > least(now(), ${new Date(nowMs)}) + ${clocksMs} * interval '1 ms'
    union all
    select 'unsigned', count(*)::float8,
      greatest(coalesce(extract(epoch from now() - min(entry.posted_at)), 0), 0)::float8
    from ${sql.table(`${liveSchema}.ledger_trees`)} tree
    join ${sql.table(`${liveSchema}.journal_entries`)} entry
      on entry.shop_id = tree.shop_id and entry.currency = tree.currency
      and entry.revision = coalesce(tree.signed_size, 0)
    where tree.size > coalesce(tree.signed_size, 0)
    union all
    select kind, count(*)::float8, ${age('received_at')}
    from ${sql.table(`${liveSchema}.suspense`)} where status = 'open' group by kind`.execute(db);
  return rows;
}
