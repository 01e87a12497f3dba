import { projectPayoutBatch, type PayoutBatchRow } from '#projections/shops/payout-batches.ts';
import { projectMerchant, projectShop } from '#projections/shops/project.ts';
import { projectRoutes, type RouteRow } from '#projections/shops/route-history.ts';
import type { MerchantRow, ShopRow } from '#projections/shops/table.ts';
import type { PayoutBatchEvent } from '#shared/domain/payout-batch/events.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import { projectOrSkip } from './put-row.ts';
import type { Put } from './tables.ts';

/** The rows of merchants and shops. They are few, so they stay in memory until the end. */
export function createSetupRows(put: Put, onlyShop: string | undefined) {
  const merchants = new Map<string, MerchantRow>();
  const shops = new Map<string, ShopRow>();
  const routes = new Map<string, RouteRow[]>();
  const putRow = (name: Parameters<Put>[0], row: { position: string }) =>
    put(name, row, { position: Number(row.position) });
  return {
    merchant: (envelope: EventEnvelope): void => {
      const { stream } = envelope;
      const row = projectOrSkip(() => projectMerchant(merchants.get(stream), envelope));
      if (row) merchants.set(stream, row);
    },
    shop: (shopId: string, envelope: EventEnvelope): void => {
      const after = projectOrSkip(() => projectShop(shops.get(shopId), envelope));
      if (!after) return;
      shops.set(shopId, after);
      const newRoutes = projectRoutes({ after, event: envelope });
      if (!newRoutes) return;
      const history = routes.get(shopId) ?? [];
      for (const route of history) route.valid_to ??= envelope.created;
      routes.set(shopId, [...history, ...newRoutes]);
    },
    finish: (): void => {
      const isWanted = (shopId: string) => onlyShop === undefined || shopId === onlyShop;
      const merchantId = onlyShop === undefined ? undefined : shops.get(onlyShop)?.merchant_id;
      for (const row of merchants.values())
        if (onlyShop === undefined || row.merchant_id === merchantId) putRow('merchants', row);
      for (const row of shops.values()) if (isWanted(row.shop_id)) putRow('shops', row);
      for (const [shopId, history] of routes)
        if (isWanted(shopId)) for (const row of history) putRow('route_history', row);
    },
  };
}

/** The rows of files of payouts. */
export function createPayoutBatchRows(put: Put, onlyShop: string | undefined) {
  const batches = new Map<string, PayoutBatchRow>();
  const totals = new Map<string, Readonly<Record<string, string>>>();
  return ({ type, data }: PayoutBatchEvent, envelope: EventEnvelope): void => {
    const { batch_id: id, shop_id: shopId } = data;
    if (type === 'PayoutBatchChecked') totals.set(id, data.total);
    const row = projectOrSkip(() => projectPayoutBatch(batches.get(id), envelope));
    if (!row) return;
    batches.set(id, row);
    const { position } = envelope.event;
    if (onlyShop === undefined || shopId === onlyShop)
      put('payout_batches', row, { own: { total: totals.get(id) }, position });
  };
}
