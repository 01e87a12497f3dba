import * as fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { rebuild } from '../rebuild/rebuild.ts';
import { shopsReadModel } from '../shops/read-model.ts';
import { append, appendLedgers } from '../testing/append.ts';
import { expectTablesToHold } from '../testing/expect-books.ts';
import { anyLedgers, busyLedger, type Books } from '../testing/ledger-histories.ts';
import {
  hasReached,
  statusOf,
  useDb,
  useOwnEventStore,
  useProjections,
} from '../testing/stores.ts';
import { ledgerReadModel } from './read-model.ts';

const models = [shopsReadModel, ledgerReadModel];

describe('the ledger tables', () => {
  const own = useOwnEventStore();
  /** Each sample has its own shops. */
  const samples: Books[] = fc
    .sample(anyLedgers, { numRuns: 30, seed: 41 })
    .flatMap((ledgers, index) => ledgers.map((each) => ({ ...each, ...renamed(each, index) })));
  let end: Promise<bigint> | undefined;
  /** The log that all tests of this file follow. */
  const logEnd = () => (end ??= appendLedgers(own.store, samples));

  it.each([1_000, 7])('equal the sums of the log, in batches of %i', async (maxBatch) => {
    const last = await logEnd();
    const { db } = await useDb();
    useProjections({ db, store: own.store, models, maxBatch });
    await eventually('caught up', () => hasReached(db, last, 'ledger'));
    await expectTablesToHold(db, samples);
    // The last worker whose tables are ready creates the view.
    await eventually(
      'the shops table is ready',
      async () => (await statusOf(db, 'shops')) !== undefined,
    );
    const { rows } = await sql<{ found: number; readTo: string }>`
      select count(*)::int as found, min(read_to) as "readTo" from gateway.balances`.execute(db);
    expect(rows[0]?.found).toBe(samples.filter(({ entries }) => entries.length > 0).length);
    expect(BigInt(rows[0]?.readTo ?? 0)).toBeGreaterThanOrEqual(last);
  });

  it('are rebuilt while a busy shop posts, and a planted difference is reported', async () => {
    const before = await logEnd();
    const { db } = await useDb();
    const projections = useProjections({ db, store: own.store, models, maxBatch: 50 });
    await eventually('caught up', () => hasReached(db, before, 'ledger'));
    const busy = busyLedger('shop-busy', 600);
    const appending = appendLedgers(own.store, [busy], { perWrite: 20 });
    const model = ledgerReadModel;
    const during = await rebuild({ db, store: own.store, model, logger });
    expect(during).toMatchObject({ swapped: true, comparison: { different: 0 } });
    const last = await appending;
    samples.push(busy);
    end = Promise.resolve(last);
    await eventually('caught up again', () => hasReached(db, last, 'ledger'));
    await expectTablesToHold(db, samples);

    await sql`update gateway.journal_entries set to_commission = 99 where shop_id = 'shop-busy' and revision = 3`.execute(
      db,
    );
    await sql`delete from gateway.ledgers where shop_id = 'shop-busy'`.execute(db);
    const found = await rebuild({ db, store: own.store, model, logger, swap: false });
    expect(found.comparison).toMatchObject({
      different: 2,
      examples: [
        {
          table: 'journal_entries',
          key: 'shop-busy RUB 3',
          kind: 'differs',
          columns: [{ column: 'to_commission', live: '99.00' }],
        },
        { table: 'ledgers', key: 'shop-busy RUB', kind: 'missing' },
      ],
    });
    expect(await rebuild({ db, store: own.store, model, logger })).toMatchObject({ swapped: true });
    await expectTablesToHold(db, samples);
    expect(projections.notReady()).toBeUndefined();
  });

  it('stop at an entry of another ledger', async () => {
    const last = await logEnd();
    const { db } = await useDb();
    const projections = useProjections({ db, store: own.store, models });
    await eventually('caught up', () => hasReached(db, last, 'ledger'));
    const foreign = busyLedger('shop-other', 1).entries.map((data) => ({
      type: 'EntryPosted',
      data,
    }));
    const stream = ledgerStream('shop-mine', 'RUB');
    await append(own.store, stream, { events: foreign });
    await eventually('stopped', async () => (await statusOf(db, 'ledger'))?.state === 'stopped');
    expect(await statusOf(db, 'ledger')).toMatchObject({
      failed_stream: stream,
      failed_revision: 0,
    });
    const saysSo = () => projections.notReady()?.includes('ledger is stopped') === true;
    await eventually('readiness reports the stop', saysSo);
    await expectTablesToHold(db, samples);
  });
});

/** The same ledgers under unique names. */
function renamed({ shopId, entries }: Books, index: number): Pick<Books, 'shopId' | 'entries'> {
  const shop = `${shopId}-${index}`;
  return {
    shopId: shop,
    entries: entries.map((entry) => ({
      ...entry,
      shop_id: shop,
      ...('operation_id' in entry && {
        operation_id: entry.operation_id.replace(/^.{8}/, index.toString(16).padStart(8, '0')),
      }),
    })),
  };
}
