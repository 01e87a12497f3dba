import type { Transaction } from 'kysely';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { errorMessage } from '#shared/platform/error-message.ts';

/** The PostgreSQL schema that queries read. */
export const liveSchema = 'gateway';

export type ColumnDefinition = {
  /** The type with its constraints, as in `create table`. */
  type: string;
  /** A table of the same read model that this column refers to by its single-column primary key. */
  references?: string;
  /** For users of SQL: becomes the column's COMMENT. */
  comment: string;
};

export type Table<Row = Record<string, unknown>> = {
  name: string;
  comment: string;
  columns: Record<keyof Row & string, ColumnDefinition>;
  primaryKey: readonly (keyof Row & string)[];
  /**
   * Column lists, as in `create index on … (…)`. `brin` finds a range and costs almost nothing if
   * rows are written in the column's order, as most times are.
   */
  indexes: readonly { on: string; unique?: boolean; using?: 'brin'; where?: string }[];
};

/** What the database's client makes of a column of that type. */
type Value<Type extends string> = Type extends `timestamptz${string}`
  ? Date
  : Type extends `integer${string}`
    ? number
    : Type extends `boolean${string}`
      ? boolean
      : string;

type RowWith<Columns extends Record<string, ColumnDefinition>, Key, Known> = {
  -readonly [Name in keyof Columns]: Name extends keyof Known
    ? Known[Name]
    : Name extends Key
      ? Value<Columns[Name]['type']>
      : Columns[Name]['type'] extends `${string} not null${string}`
        ? Value<Columns[Name]['type']>
        : Value<Columns[Name]['type']> | null;
};

/** A table whose rows have the types of its columns, but for those of which more is known. */
export const defineTable =
  <Known = object>() =>
  <
    const Columns extends Record<string, ColumnDefinition>,
    const Key extends keyof Columns & string,
  >(
    table: Omit<Table, 'columns' | 'primaryKey'> & { columns: Columns; primaryKey: readonly Key[] },
  ): Table<RowWith<Columns, Key, Known>> =>
    table;

export type RowOf<Of> = Of extends Table<infer Row> ? Row : never;

/** A batch to apply, inside the transaction that also moves the checkpoint. */
export type Batch = { tx: Transaction<unknown>; schema: string; events: readonly StoredEvent[] };

/**
 * Tables made only from the log. To add one, make a folder next to `operations/` and add a line to
 * `registry.ts`.
 */
export type ReadModel = {
  name: string;
  /**
   * Raise it with every change of the tables or of what is projected: the next start rebuilds them.
   */
  version: number;
  /** The streams that it reads. */
  streamPrefixes: readonly string[];
  /** Tables that others refer to come first. */
  tables: readonly Table[];
  /**
   * Applies events in the log's order. Deterministic: the same events give the same rows.
   * @throws UnappliableEvent for an event that it can't apply; the projection then stops there
   */
  apply(batch: Batch): Promise<void>;
};

/** A projection can't refuse an event: it stops there and names it. */
export class UnappliableEvent extends Error {
  readonly event: StoredEvent;

  constructor(event: StoredEvent, cause: unknown) {
    super(errorMessage(cause), { cause });
    this.name = 'UnappliableEvent';
    this.event = event;
  }
}
