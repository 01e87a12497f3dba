import { sql, type Kysely } from 'kysely';
import type { StatementEntry } from '#shared/domain/ledger/statement-entry.ts';
import type { EntryKind } from '#shared/domain/ledger/events.ts';
import { encodeHashes, findCovering, viewCheckpoint } from './checkpoints.ts';
import { countBefore, readField } from './entries-before.ts';
import { createLedgerTree } from './ledger-tree.ts';
import type { EntryRow } from './tables.ts';
import type { CheckpointRow, TreeRow } from './tree-tables.ts';

type Ledger = { shopId: string; currency: string };
type StatementRequest = Ledger & { from: Date; to: Date };

/** The content of a statement: all of it is in the log forever. */
export type StatementPlan = StatementRequest & {
  /** Its entries, by their revisions. */
  first: number;
  /** Exclusive. */
  end: number;
  opening: string;
  closing: string;
  checkpoint: CheckpointRow;
  /** How many entries the checkpoint had that covered the beginning. */
  fromSize: number;
};

/** The currencies in which a shop has entries. */
export async function readLedgerCurrencies<DB>(db: Kysely<DB>, shopId: string): Promise<string[]> {
  const { rows } = await sql<{ currency: string }>`
    select currency from gateway.ledgers where shop_id = ${shopId} order by currency`.execute(db);
  return rows.map(({ currency }) => currency);
}

/** The tree of a ledger; undefined if it has no entry and no checkpoint yet. */
export async function findTree<DB>(
  db: Kysely<DB>,
  { shopId, currency }: Ledger,
): Promise<TreeRow | undefined> {
  const { rows } = await sql<TreeRow>`
    select * from gateway.ledger_trees
    where shop_id = ${shopId} and currency = ${currency}`.execute(db);
  return rows[0];
}

/**
 * Plans a statement. Call it once the tables have everything from before its end
 * (`createCompleteToReader`).
 * @param size how many entries the ledger has
 * @returns with how many entries precede the end while no checkpoint covers it
 */
export async function planStatement<DB>(
  db: Kysely<DB>,
  { size, ...request }: StatementRequest & { size: number },
): Promise<StatementPlan | { uncovered: number }> {
  const { first, end, opening, closing } = await findPeriod(db, { size, ...request });
  const { from, to } = request;
  const checkpoint = await findCovering(db, request, { time: to, entries: end });
  const before = checkpoint && (await findCovering(db, request, { time: from, entries: first }));
  if (!before) return { uncovered: end };
  return {
    ...request,
    first,
    end,
    opening,
    closing,
    checkpoint,
    fromSize: before.tree_size,
  };
}

type Period = Pick<StatementPlan, 'first' | 'end' | 'opening' | 'closing'>;

/** The entries of a period by their revisions, and the balance before and after them. */
async function findPeriod<DB>(
  db: Kysely<DB>,
  { from, to, size, ...ledger }: StatementRequest & { size: number },
): Promise<Period> {
  const first = await countBefore(db, ledger, { time: from, size });
  const end = await countBefore(db, ledger, { time: to, size });
  const balanceBefore = async (revision: number) =>
    revision === 0
      ? '0.00'
      : readField(db, ledger, { field: 'balance_after', revision: revision - 1 });
  const [opening, closing] = [await balanceBefore(first), await balanceBefore(end)];
  return { first, end, opening, closing };
}

/** What the entries of one kind add to the balance together. */
type KindTotal = {
  kind: EntryKind;
  /** The decision on money that came back, by its effect on the balance. */
  returned: 'in' | 'out' | null;
  entries: number;
  amount: string;
  /** The gateway's commission on it. */
  commission: string;
};

export type StatementTotals = { opening: string; closing: string; kinds: readonly KindTotal[] };

/**
 * A period by kinds of entries, without those that move neither balance nor reserve. Call it as
 * `planStatement`.
 */
export async function statementTotals<DB>(
  db: Kysely<DB>,
  request: StatementRequest,
): Promise<StatementTotals> {
  const { shopId, currency } = request;
  const tree = await findTree(db, request);
  const period = await findPeriod(db, { ...request, size: tree?.size ?? 0 });
  const { rows } = await sql<KindTotal>`
    select kind, returned, count(*)::float8 as entries, sum(to_balance)::numeric(38,2)::text as amount,
      sum(to_commission)::numeric(38,2)::text as commission
    from (
      select kind, to_balance, to_commission, case
        when kind <> 'resolution' or of_leg_id is null then null
        when to_balance < 0 then 'out' else 'in' end as returned
      from gateway.journal_entries
      where shop_id = ${shopId} and currency = ${currency}
        and revision >= ${period.first} and revision < ${period.end}
        and (to_balance <> 0 or to_reserved <> 0)
    ) own group by kind, returned order by kind, returned`.execute(db);
  return { opening: period.opening, closing: period.closing, kinds: rows };
}

const batchRows = 512;

/**
 * The statement as JSON, entry by entry, in bounded memory. The entries before and after it show
 * that none is left out at its edges.
 */
export async function* statementJson<DB>(
  db: Kysely<DB>,
  plan: StatementPlan,
): AsyncGenerator<string, void, void> {
  const { shopId, currency, from, to, opening, closing, checkpoint, fromSize } = plan;
  const size = checkpoint.tree_size;
  const tree = createLedgerTree(db, plan);
  const proved = async (row: EntryRow) => ({
    ...viewEntry(row),
    leaf: row.leaf_hash,
    proof: {
      index: row.revision,
      hashes: encodeHashes(await tree.inclusionProof(row.revision, size)),
    },
  });
  const readRows = async (first: number, end: number) => {
    const { rows } = await sql<EntryRow>`
      select * from gateway.journal_entries
      where shop_id = ${shopId} and currency = ${currency}
        and revision >= ${first} and revision < ${end}
      order by revision`.execute(db);
    return rows;
  };
  const neighbour = async (revision: number) => {
    const [row] = revision >= 0 && revision < size ? await readRows(revision, revision + 1) : [];
    return row ? proved(row) : null;
  };

  const head = {
    version: 2,
    shop_id: shopId,
    currency,
    from: from.toISOString(),
    to: to.toISOString(),
    opening,
    closing,
    before: await neighbour(plan.first - 1),
  };
  let text = `${JSON.stringify(head).slice(0, -1)},"entries":[`;
  for (let next = plan.first; next < plan.end; next += batchRows) {
    for (const row of await readRows(next, Math.min(next + batchRows, plan.end))) {
      const separator = row.revision === plan.first ? '' : ',';
      text += `${separator}${JSON.stringify(await proved(row))}`;
    }
    yield text;
    text = '';
  }
  const tail = {
    after: await neighbour(plan.end),
    checkpoint: viewCheckpoint(checkpoint),
    consistency: {
      from_size: fromSize,
      proof: encodeHashes(await tree.consistencyProof(fromSize, size)),
    },
  };
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
