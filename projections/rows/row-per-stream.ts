import { sql } from 'kysely';
import { setImmediate } from 'node:timers/promises';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { UnappliableEvent, type Batch, type Table } from '../read-model.ts';
import { upsertRows, type Write } from './upsert.ts';

/** Every row has its stream's revision and position. */
type StreamRow = { revision: number; position: string };

/** A row before and after one event. */
export type RowChange<Row> = { before: Row | undefined; after: Row; event: StoredEvent };

type RowPerStream<Row extends StreamRow> = {
  table: Table<Row>;
  /** The primary key column; the stream is `<streamPrefix><value>`. */
  key: keyof Row & string;
  streamPrefix: string;
  /**
   * Pure. What it throws stops the projection. Undefined for a first event that has nothing to list
   * yet.
   */
  project(before: Row | undefined, event: StoredEvent): Row | undefined;
  /** The type of event that begins the row if the first event made none. */
  beginsLate?: string;
  /**
   * The other tables' writes for the same changes; it gets each change once. Called while
   * PostgreSQL writes the rows; what it returns is written in that order.
   */
  companionWrites?(batch: Batch, changes: readonly RowChange<Row>[]): readonly Write[];
};

/**
 * Keeps one row per stream: a batch's rows are read at once, projected in memory and written at
 * once.
 */
export function rowPerStream<Row extends StreamRow>({
  table,
  key: column,
  streamPrefix,
  project,
  beginsLate,
  companionWrites,
}: RowPerStream<Row>) {
  const streamKey = (event: StoredEvent) => event.stream.slice(streamPrefix.length);

  return async (batch: Batch): Promise<void> => {
    const { tx, schema, events } = batch;
    const matching = events.filter((event) => event.stream.startsWith(streamPrefix));
    if (matching.length === 0) return;
    const keys = [...new Set(matching.map(streamKey))];
    const { rows } = await sql<Row>`
      select * from ${sql.id(schema, table.name)} where ${sql.id(column)} = any(${keys})`.execute(
      tx,
    );
    const byStream = new Map(rows.map((row) => [String(row[column]), row]));
    const changed = new Map<string, Row>();
    const changes: RowChange<Row>[] = [];
    for (const event of matching) {
      const key = streamKey(event);
      const before = byStream.get(key);
      try {
        if (isRepeatedEvent(before, event, beginsLate)) continue;
        const after = project(before, event);
        if (!after) continue;
        if (String(after[column]) !== key) throw new Error(`its content belongs to another stream`);
        byStream.set(key, after);
        changed.set(key, after);
        if (companionWrites) changes.push({ before, after, event });
      } catch (cause) {
        throw new UnappliableEvent(event, cause);
      }
    }
    const rowsWritten = upsertRows(tx, { table, schema, rows: [...changed.values()] });
    const writes = companionWrites
      ? await whileUnderWay(rowsWritten, () => companionWrites(batch, changes))
      : [];
    await rowsWritten;
    for (const write of writes) await write(tx);
  };
}

/** Runs `work` while a statement runs. A connection runs one statement at a time. */
async function whileUnderWay<T>(statement: Promise<void>, work: () => T): Promise<T> {
  // A failure is thrown when it is awaited; until then it must not be an unhandled rejection.
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
 * Whether the row has this event already. Each event has one place in the log, so the row has every
 * event at or before both its position and its revision. Any other event must be the stream's next
 * one.
 * @throws on a gap, and on a second event of one revision
 */
export function isRepeatedEvent(
  before: StreamRow | undefined,
  event: StoredEvent,
  beginsLate?: string,
): boolean {
  // If the first event makes no row, the second one begins it.
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
