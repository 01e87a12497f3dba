import { sql, type Kysely } from 'kysely';
import { storableText } from '../rows/upsert.ts';
import type { MerchantRow, ShopRow } from './table.ts';

/** The tables that these queries read. */
type ShopsDatabase = { 'gateway.shops': ShopRow; 'gateway.merchants': MerchantRow };

export type ListedShop = ShopRow & { merchant_name: string };

/**
 * Shops with their merchants, of one merchant or of all, in the order of their ids, after one of
 * them.
 */
export async function listShops<DB>(
  db: Kysely<DB>,
  {
    merchantId,
    after,
    limit,
  }: { merchantId?: string | undefined; after?: string | undefined; limit: number },
): Promise<{ shops: ListedShop[]; next: string | null }> {
  let query = (db as unknown as Kysely<ShopsDatabase>)
    .selectFrom('gateway.shops as shop')
    .innerJoin('gateway.merchants as merchant', 'merchant.merchant_id', 'shop.merchant_id')
    .selectAll('shop')
    .select('merchant.name as merchant_name');
  if (merchantId !== undefined) query = query.where('shop.merchant_id', '=', merchantId);
  if (after !== undefined) query = query.where('shop.shop_id', '>', after);
  const rows = await query
    .orderBy('shop.shop_id')
    .limit(limit + 1)
    .execute();
  const shops = rows.slice(0, limit);
  return { shops, next: rows.length > limit ? (shops.at(-1)?.shop_id ?? null) : null };
}

/** Merchants of this name, in any case; two are enough to see that it is not unique. */
export async function findMerchantsNamed<DB>(
  db: Kysely<DB>,
  name: string,
): Promise<Pick<MerchantRow, 'merchant_id' | 'name'>[]> {
  return (db as unknown as Kysely<ShopsDatabase>)
    .selectFrom('gateway.merchants')
    .select(['merchant_id', 'name'])
    .where(sql<boolean>`lower(name) = lower(${storableText(name)})`)
    .limit(2)
    .execute();
}

/** Merchants by name, up to as many as a choice can list. */
export async function listMerchants<DB>(
  db: Kysely<DB>,
  limit: number,
): Promise<Pick<MerchantRow, 'merchant_id' | 'name'>[]> {
  return (db as unknown as Kysely<ShopsDatabase>)
    .selectFrom('gateway.merchants')
    .select(['merchant_id', 'name'])
    .orderBy('name')
    .orderBy('merchant_id')
    .limit(limit)
    .execute();
}
