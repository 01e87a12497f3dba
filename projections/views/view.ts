import type { ReadModel } from '../read-model.ts';

/** A view in the schema of the read models, for users of SQL. */
export type SqlView = {
  name: string;
  comment: string;
  /**
   * The read models whose tables it reads: it exists once all of them do, in the version of this
   * code.
   */
  from: readonly ReadModel[];
  /** The meaning of each column, in the order of the select. Become the columns' COMMENTs. */
  columns: Readonly<Record<string, string>>;
  /**
   * The names of tables with their schema. Views don't read views, so that they can be made in any
   * order.
   */
  select: string;
};
