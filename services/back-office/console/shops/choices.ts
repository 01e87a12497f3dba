import { listShops, type ListedShop } from '#projections/shops/query.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import type { Choice } from '../../frame/components.ts';
import type { Console, ConsoleView } from '../env.ts';
import { common } from '#shared/application/pages/translations.ts';

/** How many shops the filter offers; with more, filter by an id in the address. */
const maxShops = 200;

export type ShopNames = {
  choices: Choice[];
  nameOf(shopId: string): string | undefined;
  /** The ids of the shops whose names have this prefix, ignoring case. */
  named(text: string): readonly string[];
};

/** Shops to filter a list by. */
export async function readShopNames(
  { db }: Console,
  { t }: ConsoleView,
  chosen?: string,
): Promise<ShopNames> {
  const { shops } = await fromDatabase(listShops(db, { limit: maxShops }));
  const names = new Map(shops.map((shop) => [shop.shop_id, shop.name]));
  const named = shops
    .map(({ shop_id: value, name, merchant_name }: ListedShop) => ({
      value,
      text: `${name} · ${merchant_name}`,
    }))
    .toSorted((left, right) => (left.text < right.text ? -1 : 1));
  const unknown =
    chosen !== undefined && !names.has(chosen) ? [{ value: chosen, text: chosen }] : [];
  return {
    choices: [{ value: '', text: t(common.all) }, ...unknown, ...named],
    nameOf: (shopId) => names.get(shopId),
    named: (text) => {
      const prefix = text.trim().toLowerCase();
      return [...names]
        .filter(([, name]) => name.toLowerCase().startsWith(prefix))
        .map(([id]) => id);
    },
  };
}
