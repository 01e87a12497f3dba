import { sql, type Kysely } from 'kysely';
import { joinConditions, where } from '../conditions.ts';
import { storableText } from '../rows/upsert.ts';
import type { MerchantRow, ShopRow } from './table.ts';

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
  const conditions = [
    ...where(merchantId, (id) => sql`shop.merchant_id = ${id}`),
    ...where(after, (id) => sql`shop.shop_id > ${id}`),
  ];
  const { rows } = await sql<ListedShop>`
    select shop.*, merchant.name as merchant_name
    from gateway.shops shop join gateway.merchants merchant using (merchant_id)
    where ${joinConditions(conditions)} order by shop.shop_id limit ${limit + 1}`.execute(db);
  const shops = rows.slice(0, limit);
  return { shops, next: rows.length > limit ? (shops.at(-1)?.shop_id ?? null) : null };
}

type NamedMerchant = Pick<MerchantRow, 'merchant_id' | 'name'>;

/** Merchants of this name, in any case; two are enough to see that it is not unique. */
export async function findMerchantsNamed<DB>(
  db: Kysely<DB>,
  name: string,
): Promise<NamedMerchant[]> {
  const { rows } = await sql<NamedMerchant>`
    select merchant_id, name from gateway.merchants
    where lower(name) = lower(${storableText(name)}) limit 2`.execute(db);
  return rows;
}

/** Merchants by name, up to as many as a choice can list. */
export async function listMerchants<DB>(db: Kysely<DB>, limit: number): Promise<NamedMerchant[]> {
  const { rows } = await sql<NamedMerchant>`
    select merchant_id, name from gateway.merchants
    order by name, merchant_id limit ${limit}`.execute(db);
  return rows;
}
