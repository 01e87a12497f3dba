import { sql } from 'kysely';
import { foreign, own, timeColumn, type CsvQuery } from '#shared/platform/csv/columns.ts';
import { joinConditions, where } from '../conditions.ts';

type BalanceFilter = { shopId?: string | undefined };

/** The balance of each shop in each currency that has an entry. */
export const balancesCsv = ({ shopId }: BalanceFilter): CsvQuery => ({
  columns: [
    own('shop_id'),
    foreign('shop_name'),
    own('merchant_id'),
    own('currency'),
    own('balance'),
    own('reserved'),
    own('current_minus'),
    own('overdraft_limit', sql`coalesce(overdraft_limit::text, 'unlimited')`),
    own('commission'),
    own('entries'),
    timeColumn('updated_at'),
  ],
  from: sql`from gateway.balances as listed where ${joinConditions(where(shopId, (id) => sql`shop_id = ${id}`))}
    order by listed.shop_name, listed.shop_id, listed.currency`,
});

/** The columns that merchants may see. */
export const balancesCsvOfShop = (shopId: string): CsvQuery => {
  const { columns, from } = balancesCsv({ shopId });
  return {
    columns: columns.filter(({ name }) => !['shop_name', 'merchant_id'].includes(name)),
    from,
  };
};
