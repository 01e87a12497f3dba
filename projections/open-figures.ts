import { sql, type Kysely } from 'kysely';
import { Gauge } from 'prom-client';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import { readForScrape } from '#shared/platform/metrics/reading.ts';
import { liveSchema } from './read-model.ts';
import { moneyKinds } from './suspense/table.ts';

const suspenseKinds = [...moneyKinds, 'late_status', 'late_correction', 'overcharge'] as const;

type Row = { what: 'reservations' | (typeof suspenseKinds)[number]; count: number; age_s: number };

/**
 * Open reservations and undecided late facts, from the read models. The same on every instance.
 * Only counts: amounts don't belong in metrics.
 */
export function registerOpenFigures<DB>(registry: Metrics, db: Kysely<DB>): void {
  const read = readForScrape(() => readOpen(db));
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
  const of = (rows: readonly Row[], what: Row['what']) => rows.find((row) => row.what === what);

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

/** Uses indexes that cover only open rows. */
async function readOpen<DB>(db: Kysely<DB>): Promise<Row[]> {
  const age = (column: string) =>
    sql`coalesce(extract(epoch from now() - min(${sql.ref(column)})), 0)::float8 as age_s`;
  const { rows } = await sql<Row>`
    select 'reservations' as what, count(*)::float8 as count, ${age('opened_at')}
    from ${sql.table(`${liveSchema}.reservations`)} where status = 'open'
    union all
    select kind, count(*)::float8, ${age('received_at')}
    from ${sql.table(`${liveSchema}.suspense`)} where status = 'open' group by kind`.execute(db);
  return rows;
}
