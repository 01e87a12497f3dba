import { sql, type RawBuilder } from 'kysely';

/** A column of a CSV file: its SQL expression, and whether its text comes from outside. */
export type CsvColumn = {
  name: string;
  select: RawBuilder<string | null>;
  foreign: boolean;
  /** Makes the cell of what was selected. */
  open?: (value: string) => Promise<string | null>;
};

/** The columns of a file, and the rest of its query (`from … where … order by …`). */
export type CsvQuery = {
  columns: readonly CsvColumn[];
  from: RawBuilder<unknown>;
  /** The same for rows before and after all others. */
  before?: RawBuilder<unknown>;
  after?: RawBuilder<unknown>;
  /** Why rows are missing: the file's last line. */
  note?: string | undefined;
  /** Called with the non-null values of an expression before the rows are sent. */
  check?: { select: RawBuilder<unknown>; values(values: readonly string[]): Promise<void> };
  /** Rows read at a time, if reading one takes long; 1,000 by default. */
  batchRows?: number;
};

const of =
  (foreign: boolean) =>
  (name: string, expression: RawBuilder<unknown> = sql.ref(name)): CsvColumn => ({
    name,
    select: sql`(${expression})::text`,
    foreign,
  });

/** Text of the gateway's own: an exact amount, an id, a number, a name from a fixed list. */
export const own = of(false);
/** Text that merchants, providers, operators or endpoints wrote. */
export const foreign = of(true);

/** Text that is stored encrypted; once decrypted it is foreign text. */
export const sealed = (
  name: string,
  expression: RawBuilder<unknown>,
  open: (value: string) => Promise<string | null>,
): CsvColumn => ({ ...foreign(name, expression), open });

/** RFC 3339 with milliseconds and the offset, in the time zone of the session. */
export const timeColumn = (name: string, expression?: RawBuilder<unknown>): CsvColumn =>
  own(name, sql`to_char(${expression ?? sql.ref(name)}, 'YYYY-MM-DD"T"HH24:MI:SS.MSTZH:TZM')`);
