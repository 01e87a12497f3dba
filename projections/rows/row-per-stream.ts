import { sql } from 'kysely';
import { setImmediate } from 'node:timers/promises';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { UnappliableEvent, type Batch, type Table } from '../read-model.ts';
import { upsertRows, type Write } from './upsert.ts';

/** What every row says of the stream that it was made from. */
type StreamRow = { revision: number; position: string };

/** What one event made of a row. */
export type Change<Row> = { before: Row | undefined; after: Row; event: StoredEvent };

type RowPerStream<Row extends StreamRow> = {
  table: Table<Row>;
  /** The column by which a stream is named: `<streamPrefix><value>`. It is the primary key. */
  key: keyof Row & string;
  streamPrefix: string;
  /**
   * Pure: nothing but the row and the event goes in. What it throws stops the projection. Nothing
   * comes out for a first event of which there is nothing to list yet.
   */
  project(before: Row | undefined, event: StoredEvent): Row | undefined;
  /** The type of event that begins the row where the first event made none. */
  beginsLate?: string;
  /**
   * What other tables of the read model make of the same changes, each of which is given once. It
   * is asked while PostgreSQL works on the rows, and what it returns is written in that order.
   */
  beside?(batch: Batch, changes: readonly Change<Row>[]): readonly Write[];
};

/**
 * Keeps one row a stream: the rows of a batch are read at once, projected in memory and written at
 * once.
 */
export function rowPerStream<Row extends StreamRow>({
  table,
  key: column,
  streamPrefix,
  project,
  beginsLate,
  beside,
}: RowPerStream<Row>) {
  const keyOf = (event: StoredEvent) => event.stream.slice(streamPrefix.length);

  return async (batch: Batch): Promise<void> => {
    const { tx, schema, events } = batch;
    const ours = events.filter((event) => event.stream.startsWith(streamPrefix));
    if (ours.length === 0) return;
    const keys = [...new Set(ours.map(keyOf))];
    const { rows } = await sql<Row>`
      select * from ${sql.id(schema, table.name)} where ${sql.id(column)} = any(${keys})`.execute(
      tx,
    );
    const known = new Map(rows.map((row) => [String(row[column]), row]));
    const changed = new Map<string, Row>();
    const changes: Change<Row>[] = [];
    for (const event of ours) {
      const key = keyOf(event);
      const before = known.get(key);
      try {
        if (isRepeat(before, event, beginsLate)) continue;
        const after = project(before, event);
        if (!after) continue;
        if (String(after[column]) !== key) throw new Error(`its content belongs to another stream`);
        known.set(key, after);
        changed.set(key, after);
        if (beside) changes.push({ before, after, event });
      } catch (cause) {
        throw new UnappliableEvent(event, cause);
      }
    }
    const rowsWritten = upsertRows(tx, { table, schema, rows: [...changed.values()] });
    const writes = beside ? await whileUnderWay(rowsWritten, () => beside(batch, changes)) : [];
    await rowsWritten;
    for (const write of writes) await write(tx);
  };
}

/**
 * Does work of this process's own once a statement has been sent. One connection takes one
 * statement at a time.
 */
async function whileUnderWay<T>(statement: Promise<void>, work: () => T): Promise<T> {
  // Its failure surfaces when it is awaited; until then it must not be an unhandled rejection.
  statement.catch(() => undefined);
  await setImmediate();
  try {
    return work();
  } catch (error) {
    await statement;
    throw error;
  }
}

/**
 * Whether the row has this event already. Every event has one place in the log, so what lies at or
 * before both the row's position and its revision is in it; any other event must be the stream's
 * next one.
 * @throws on a gap, and on a second event of one revision
 */
export function isRepeat(
  before: StreamRow | undefined,
  event: StoredEvent,
  beginsLate?: string,
): boolean {
  // A first event that makes no row leaves none to follow: the second one begins it.
  if (!before && event.revision === 1 && event.type === beginsLate) return false;
  const revision = before?.revision ?? -1;
  if (before && event.revision <= revision && event.position <= BigInt(before.position))
    return true;
  if (event.revision === revision + 1 && event.position > BigInt(before?.position ?? -1))
    return false;
  throw new Error(
    `expected revision ${revision + 1} of ${event.stream}, met revision ${event.revision} at position ${event.position}`,
  );
}
