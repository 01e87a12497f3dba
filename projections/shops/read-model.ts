import type { ReadModel } from '../read-model.ts';
import { rowPerStream } from '../rows/row-per-stream.ts';
import { projectMerchant, projectShop } from './project.ts';
import { applyPayoutBatches, payoutBatchesTable, payoutBatchPrefixes } from './payout-batches.ts';
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
 * Merchants, shops and their files of payouts in one, so that the foreign keys hold: a shop never
 * comes before its merchant in the log, nor a file before its shop.
 */
export const shopsReadModel: ReadModel = {
  name: 'shops',
  version: 9,
  streamPrefixes: ['merchant-', 'shop-', ...payoutBatchPrefixes],
  tables: [merchantsTable, shopsTable, routeHistoryTable, payoutBatchesTable],
  apply: async (batch) => {
    await applyMerchants(batch);
    await applyShops(batch);
    await applyPayoutBatches(batch);
  },
};
