import { sql, type Kysely } from 'kysely';
import { expect, it } from 'vitest';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { writeSampleLog } from '../testing/sample-log.ts';
import { areLive, useDb, useOwnEventStore, useProjections } from '../testing/stores.ts';
import { views } from '../views/registry.ts';
import { findReplacedViews } from './replaced-views.ts';

const own = useOwnEventStore();

const find = (db: Kysely<unknown>) =>
  db.transaction().setAccessMode('read only').execute(findReplacedViews);

/** Changes the text of a view, which keeps its columns. */
async function replace(db: Kysely<unknown>, name: string, change: (text: string) => string) {
  const text = views.find((view) => view.name === name)?.select ?? '';
  expect(change(text)).not.toBe(text);
  await sql.raw(`create or replace view gateway.${name} as ${change(text)}`).execute(db);
}

it('makes views again at a start that somebody has replaced, and those only', async () => {
  await writeSampleLog(own.store);
  const { db } = await useDb();
  const projections = useProjections({ db, store: own.store });
  await eventually('live', () => areLive(projections));
  await projections.stop();
  expect(await find(db)).toEqual({ replaced: [], ofOtherVersion: [] });
  // With the statistics of full tables, too.
  await sql`analyze`.execute(db);
  expect(await find(db)).toEqual({ replaced: [], ofOtherVersion: [] });

  const names = ['balances', 'suspense_open', 'ledger_violations', 'statement_findings'];
  const hide = (text: string) => `select * from (${text}) as shown where false`;
  for (const name of names) await replace(db, name, hide);
  await sql`alter view gateway.open_reservations rename column operation_id to other`.execute(db);
  await sql`alter view gateway.open_reservations rename column reservation to operation_id`.execute(
    db,
  );
  await sql`alter view gateway.daily_balances rename column opening_balance to other`.execute(db);
  await sql`alter view gateway.daily_balances rename column closing_balance to opening_balance`.execute(
    db,
  );
  await sql`alter view gateway.daily_balances rename column other to closing_balance`.execute(db);
  await sql`update projections.views set definition = 'x' where name = 'freshness'`.execute(db);
  const found = await find(db);
  const all = [...names, 'open_reservations', 'daily_balances'];
  expect(found.replaced.toSorted()).toEqual(all.toSorted());
  expect(found.ofOtherVersion).toEqual(['freshness']);

  const again = useProjections({ db, store: own.store });
  await eventually('live again', () => areLive(again));
  expect(await find(db)).toEqual({ replaced: [], ofOtherVersion: [] });
});

it('finds a view that adds to an amount, or lacks a condition', async () => {
  const { db } = await useDb();
  const projections = useProjections({ db, store: own.store });
  await eventually('live', () => areLive(projections));
  await replace(db, 'balances', (text) =>
    text.replace(/(\w+\.balance)\b/, '($1 + 1000000)::numeric(38,2) as balance'),
  );
  expect((await find(db)).replaced).toEqual(['balances']);
});
