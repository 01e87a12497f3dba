import type { Transaction } from 'kysely';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';

/** The PostgreSQL schema that people and queries read. */
export const liveSchema = 'gateway';

export type Column = {
  /** As in `create table`, with its constraints. */
  type: string;
  /** A table of the same read model whose primary key, a single column, this one holds. */
  references?: string;
  /** For users of SQL: becomes the column's COMMENT. */
  comment: string;
};

export type Table<Row = Record<string, unknown>> = {
  name: string;
  comment: string;
  columns: Record<keyof Row & string, Column>;
  primaryKey: readonly (keyof Row & string)[];
  /**
   * Column lists, as in `create index on … (…)`. `brin` costs almost nothing where rows are written
   * in the order of the column, as most times are, and finds a range of it.
   */
  indexes: readonly { on: string; unique?: boolean; using?: 'brin'; where?: string }[];
};

/** A batch on its way into the tables, inside the transaction that also moves the checkpoint. */
export type Batch = { tx: Transaction<unknown>; schema: string; events: readonly StoredEvent[] };

/**
 * Tables made from the log and nothing else. A new one is a folder beside `operations/` and a line
 * in `registry.ts`.
 */
export type ReadModel = {
  name: string;
  /**
   * Raised with every change of the tables or of what is projected: at the next start it is built
   * anew.
   */
  version: number;
  /** Of the streams that it follows. */
  streamPrefixes: readonly string[];
  /** Those that others refer to come first. */
  tables: readonly Table[];
  /**
   * Applies events of the log, in its order. Deterministic: the same events give the same rows.
   * @throws UnappliableEvent for a fact that it can't take; the projection then stops there.
   */
  apply(batch: Batch): Promise<void>;
};

/** An event can't be refused: a projection that can't apply one stops and names it. */
export class UnappliableEvent extends Error {
  readonly event: StoredEvent;

  constructor(event: StoredEvent, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'UnappliableEvent';
    this.event = event;
  }
}
