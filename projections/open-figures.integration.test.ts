import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { appendLedgers } from './testing/append.ts';
import { busyLedger } from './testing/ledger-histories.ts';
import { ledgerReadModel } from './ledger/read-model.ts';
import { registerOpenFigures } from './open-figures.ts';
import { suspenseReadModel } from './suspense/read-model.ts';
import { hasReached, useDb, useOwnEventStore, useProjections } from './testing/stores.ts';

const own = useOwnEventStore();

it('measures how long the oldest entry that no checkpoint covers has waited (R16.21)', async () => {
  const { db } = await useDb();
  useProjections({ db, store: own.store, models: [ledgerReadModel, suspenseReadModel] });
  const position = await appendLedgers(own.store, [busyLedger('shop-unsigned', 5)]);
  for (const name of ['ledger', 'suspense'])
    await eventually('caught up', () => hasReached(db, position, name));
  const age = async () => {
    const metrics = createMetrics('test');
    registerOpenFigures(metrics, db);
    const name = 'gateway_ledger_entries_oldest_unsigned_age_seconds';
    return (await metrics.getSingleMetric(name)?.get())?.values[0]?.value ?? Number.NaN;
  };
  await sql`update gateway.journal_entries set posted_at = now() - interval '2 hours'
    where revision = 0`.execute(db);
  await sql`update gateway.journal_entries set posted_at = now() - interval '1 hour'
    where revision = 3`.execute(db);
  expect(await age()).toBeGreaterThanOrEqual(7_200);
  await sql`update gateway.ledger_trees set signed_size = 3`.execute(db);
  const later = await age();
  expect(later).toBeGreaterThanOrEqual(3_600);
  expect(later).toBeLessThan(7_200);
  await sql`update gateway.ledger_trees set signed_size = size`.execute(db);
  expect(await age()).toBe(0);
});
