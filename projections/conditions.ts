import { sql, type RawBuilder } from 'kysely';

// For `order by`: a bare name would sort the output text, in which 10 comes before 2.

/** The name of the shop of a row of `listed`. */
export const shopName = sql<string>`select s.name from gateway.shops s where s.shop_id = listed.shop_id`;

export const joinConditions = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> =>
  conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);

/** A condition on a filter's value, if there is one. */
export const where = <Value>(
  value: Value | undefined,
  condition: (value: Value) => RawBuilder<unknown>,
): RawBuilder<unknown>[] => (value === undefined ? [] : [condition(value)]);
