import { sql, type RawBuilder } from 'kysely';

// For `order by`: a bare name would be the text of the file, in which 10 comes before 2.

/** The name of the shop that a row of `listed` is of, as an operator entered it. */
export const shopName = sql<string>`select s.name from gateway.shops s where s.shop_id = listed.shop_id`;

export const allOf = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> =>
  conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);

/** A condition on what was asked for, if it was. */
export const where = <Value>(
  value: Value | undefined,
  condition: (value: Value) => RawBuilder<unknown>,
): RawBuilder<unknown>[] => (value === undefined ? [] : [condition(value)]);
