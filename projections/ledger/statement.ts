import { sql, type Kysely } from 'kysely';
import type { StatementEntry } from '#shared/domain/ledger/statement-entry.ts';
import { encodeHashes, firstCheckpointOf, viewCheckpoint } from './checkpoints.ts';
import { storedTreeOf } from './stored-tree.ts';
import type { EntryRow } from './tables.ts';
import type { CheckpointRow } from './tree-tables.ts';

type Period = { from: Date; to: Date };
type StatementRequest = Period & { shopId: string; currency: string };

/** The content of a statement: all of it is in the log forever. */
export type StatementPlan = StatementRequest & {
  /** The entries of its currency, by their revisions. */
  first: number;
  /** Exclusive. */
  end: number;
  opening: string;
  closing: string;
  checkpoint: CheckpointRow;
  /** How many entries the checkpoint had that covered the beginning. */
  fromSize: number;
};

/** In how many currencies a shop has entries. */
export async function currenciesOf<DB>(db: Kysely<DB>, shopId: string): Promise<string[]> {
  const { rows } = await sql<{ currency: string }>`
    select currency from gateway.ledgers where shop_id = ${shopId} order by currency`.execute(db);
  return rows.map(({ currency }) => currency);
}

/**
 * Plans a statement. Call it once the tables have everything from before its end (`createAsOf`).
 * @returns undefined while no checkpoint covers its end
 */
export async function planStatement<DB>(
  db: Kysely<DB>,
  query: StatementRequest,
): Promise<StatementPlan | undefined> {
  const { shopId, currency, from, to } = query;
  const sizes = await sql<{ leaves: number | null; entries: number | null }>`
    select (select size from gateway.ledger_trees where shop_id = ${shopId}) as leaves,
      (select revision + 1 from gateway.ledgers
        where shop_id = ${shopId} and currency = ${currency}) as entries`.execute(db);
  const { leaves, entries } = sizes.rows[0] ?? {};
  const leafAt = (leaf: number) => timeOf(db, sql`shop_id = ${shopId} and leaf_index = ${leaf}`);
  const covering = async (time: Date) =>
    firstCheckpointOf(db, shopId, await firstAt(leaves ?? 0, time, leafAt));
  const checkpoint = await covering(to);
  const before = checkpoint && (await covering(from));
  if (!before) return undefined;

  const ofLedger = sql`shop_id = ${shopId} and currency = ${currency}`;
  const entryAt = (revision: number) => timeOf(db, sql`${ofLedger} and revision = ${revision}`);
  const first = await firstAt(entries ?? 0, from, entryAt);
  const end = await firstAt(entries ?? 0, to, entryAt);
  const balanceAfter = async (revision: number) => {
    const { rows } = await sql<{ balance: string }>`
      select balance_after as balance from gateway.journal_entries
      where ${ofLedger} and revision = ${revision}`.execute(db);
    return rows[0]?.balance ?? '0.00';
  };
  return {
    ...query,
    first,
    end,
    opening: await balanceAfter(first - 1),
    closing: await balanceAfter(end - 1),
    checkpoint,
    fromSize: before.tree_size,
  };
}

async function timeOf<DB>(db: Kysely<DB>, condition: ReturnType<typeof sql>): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`
    select statement_at as at from gateway.journal_entries where ${condition}`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('a ledger entry is missing in the read model');
  return row.at;
}

const batchRows = 512;

/** The statement as JSON, entry by entry, in bounded memory. */
export async function* statementJson<DB>(
  db: Kysely<DB>,
  plan: StatementPlan,
): AsyncGenerator<string, void, void> {
  const { shopId, currency, from, to, opening, closing, checkpoint, fromSize } = plan;
  const size = checkpoint.tree_size;
  const tree = storedTreeOf(db, shopId);
  const proofOf = async (index: number) => ({
    index,
    hashes: encodeHashes(await tree.inclusionProof(index, size)),
  });
  const head = {
    shop_id: shopId,
    currency,
    from: from.toISOString(),
    to: to.toISOString(),
    opening,
    closing,
  };
  let text = `${JSON.stringify(head).slice(0, -1)},"entries":[`;
  for (let next = plan.first; next < plan.end; next += batchRows) {
    const until = Math.min(next + batchRows, plan.end);
    const { rows } = await sql<EntryRow>`
      select * from gateway.journal_entries
      where shop_id = ${shopId} and currency = ${currency}
        and revision >= ${next} and revision < ${until}
      order by revision`.execute(db);
    for (const row of rows) {
      const proof = await proofOf(row.leaf_index);
      const separator = row.revision === plan.first ? '' : ',';
      text += `${separator}${JSON.stringify({ ...viewEntry(row), leaf: row.leaf_hash, proof })}`;
    }
    yield text;
    text = '';
  }
  const consistency = {
    from_size: fromSize,
    proof: encodeHashes(await tree.consistencyProof(fromSize, size)),
  };
  const tail = { checkpoint: viewCheckpoint(checkpoint), consistency };
  yield `${text}],${JSON.stringify(tail).slice(1)}`;
}

const viewEntry = (row: EntryRow): StatementEntry => ({
  entry_id: row.entry_id,
  operation_id: row.operation_id,
  merchant_operation_id: row.merchant_operation_id,
  kind: row.kind,
  amount: row.to_balance,
  reserved: row.reserved_after,
  balance: row.balance_after,
  at: row.statement_at.toISOString(),
});

/**
 * The first of N rows, whose times never decrease, at or after a time; N if all are before it. It
 * reads one row for each bit of N, so that no index by time is needed.
 */
async function firstAt(
  count: number,
  time: Date,
  read: (row: number) => Promise<Date>,
): Promise<number> {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((await read(middle)) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
