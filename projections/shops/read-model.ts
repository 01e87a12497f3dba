import type { ReadModel } from '../read-model.ts';
import { rowPerStream } from '../rows/row-per-stream.ts';
import { projectMerchant, projectShop } from './project.ts';
import { routeHistoryTable, routeWrites } from './route-history.ts';
import { merchantsTable, shopsTable } from './table.ts';

const applyMerchants = rowPerStream({
  table: merchantsTable,
  key: 'merchant_id',
  streamPrefix: 'merchant-',
  project: projectMerchant,
});
const applyShops = rowPerStream({
  table: shopsTable,
  key: 'shop_id',
  streamPrefix: 'shop-',
  project: projectShop,
  companionWrites: routeWrites,
});

/**
 * Merchants and shops in one, so that the foreign key holds: a shop never comes before its merchant
 * in the log.
 */
export const shopsReadModel: ReadModel = {
  name: 'shops',
  version: 6,
  streamPrefixes: ['merchant-', 'shop-'],
  tables: [merchantsTable, shopsTable, routeHistoryTable],
  apply: async (batch) => {
    await applyMerchants(batch);
    await applyShops(batch);
  },
};
