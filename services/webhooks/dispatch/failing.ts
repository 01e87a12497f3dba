import { sql, type Kysely } from 'kysely';
import type { Directory } from '#shared/application/directory/directory.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { endpointIn } from '#shared/domain/shop/decide.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { noteEndpointHealth } from '#shared/application/shops/endpoint-health.ts';

/** The next round notes any more. */
const atOnce = 100;

type FailingOptions = {
  db: Kysely<WebhooksDatabase>;
  store: EventStore;
  directory: Pick<Directory, 'byId'>;
  afterMs: number;
};

type FailingEndpoint = { endpoint_id: string; shop_id: string; since: Date; recovered: boolean };

/**
 * Notes endpoints whose every attempt has failed for that long, and those of them that work again.
 * One that is disabled or deleted gets no attempts, and is forgotten.
 */
export async function noteFailing(options: FailingOptions): Promise<void> {
  const { rows } = await sql<FailingEndpoint>`
    select endpoint_id, shop_id, since, recovered from webhooks.failing_endpoint
    where recovered or since <= now() - ${options.afterMs} * interval '1 ms'
    order by random() limit ${atOnce}`.execute(options.db);
  for (const row of rows) await noteOne(options, row);
}

async function noteOne(
  { db, store, directory }: FailingOptions,
  row: FailingEndpoint,
): Promise<void> {
  const { endpoint_id: endpointId, shop_id: shopId } = row;
  const ofShop = { endpointId, shopId };
  const recovered = () => noteEndpointHealth(store, { ...ofShop, failingSince: undefined });
  const shop = await directory.byId(shopId);
  const endpoint = shop && endpointIn(shop, endpointId);
  if (!endpoint?.enabled || row.recovered) {
    if (row.recovered && (await recovered()) === 'undecided') return;
    await sql`
      delete from webhooks.failing_endpoint
      where endpoint_id = ${endpointId} and (recovered or ${!endpoint?.enabled})`.execute(db);
    return;
  }
  if (endpoint.failingSince !== undefined) return;
  const noted = await sql`
    update webhooks.failing_endpoint set noted = true
    where endpoint_id = ${endpointId} and not recovered`.execute(db);
  if (noted.numAffectedRows !== 1n) return;
  await noteEndpointHealth(store, { ...ofShop, failingSince: row.since.toISOString() });
  // It may have recovered, and another process may have noted that, before this was noted.
  const { rows: left } = await sql`
    select 1 from webhooks.failing_endpoint where endpoint_id = ${endpointId}`.execute(db);
  if (left.length === 0) await recovered();
}
