import { sql, type RawBuilder } from 'kysely';

/** A column of a CSV file: its SQL expression, and whether its text comes from outside. */
type CsvColumn = {
  name: string;
  select: RawBuilder<string | null>;
  foreign: boolean;
  /** Makes the cell of what was selected. */
  open?: (value: string) => Promise<string | null>;
};

/**
 * What a file holds: its columns, and the rest of the query behind them (`from … where … order by
 * …`).
 */
export type CsvQuery = {
  columns: readonly CsvColumn[];
  from: RawBuilder<unknown>;
  /** The same for rows before and after all others. */
  before?: RawBuilder<unknown>;
  after?: RawBuilder<unknown>;
  /** Called with the values of an expression for some rows, but null, before these are sent. */
  check?: { select: RawBuilder<unknown>; values(values: readonly string[]): Promise<void> };
  /** So many rows are read at once, where each takes long; 1,000 by default. */
  batchRows?: number;
};

const of =
  (foreign: boolean) =>
  (name: string, expression: RawBuilder<unknown> = sql.ref(name)): CsvColumn => ({
    name,
    select: sql`(${expression})::text`,
    foreign,
  });

/**
 * What the gateway made: an amount with all its digits, an id, a number, a name from a list of its
 * own.
 */
export const own = of(false);
/** What merchants, providers, operators or endpoints wrote. */
export const foreign = of(true);

/** What is stored sealed, and is no more than foreign text once it is opened. */
export const sealed = (
  name: string,
  expression: RawBuilder<unknown>,
  open: (value: string) => Promise<string | null>,
): CsvColumn => ({ ...foreign(name, expression), open });

/** RFC 3339 with milliseconds and the offset, in the time zone of the session. */
export const time = (name: string, expression?: RawBuilder<unknown>): CsvColumn =>
  own(name, sql`to_char(${expression ?? sql.ref(name)}, 'YYYY-MM-DD"T"HH24:MI:SS.MSTZH:TZM')`);
