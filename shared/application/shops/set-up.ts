import { randomBytes } from 'node:crypto';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import { commandShop, notDecided } from '#shared/application/directory/command-shop.ts';
import type { Route } from '#shared/domain/routing.ts';
import { changeShop, createShop, replaceRoutes } from '#shared/domain/shop/decide.ts';
import { merchantStream } from '#shared/domain/shop/events.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { NO_STREAM, type EventStore } from '#shared/platform/event-store/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { newId } from '#shared/platform/ids.ts';
import { hashRoutes } from './routes-version.ts';

/** What operators set up. Each command throws as `commandShop` does. */

const deadlineMs = 10_000;

export async function createMerchant(
  store: EventStore,
  { name, origin }: { name: string; origin: Origin },
): Promise<{ merchant_id: string; name: string }> {
  const merchantId = newId();
  const data = { merchant_id: merchantId, name };
  const events = toNewEvents([{ type: 'MerchantCreated', data }], origin);
  const stream = merchantStream(merchantId);
  const result = await store.append({ stream, expectedRevision: NO_STREAM, events, deadlineMs });
  if (result.outcome !== 'appended') throw notDecided();
  return data;
}

/** @throws Problem not_found also for an unknown merchant */
export async function addShop(
  store: EventStore,
  {
    merchantId,
    settings,
    origin,
  }: { merchantId: string; settings: Parameters<typeof createShop>[1]['settings']; origin: Origin },
): Promise<Shop> {
  const [merchant] = await fromStore(store.read(merchantStream(merchantId), { maxCount: 1 }));
  if (!merchant) throw new Problem('not_found', { detail: 'the merchant does not exist' });
  const shopId = newId();
  const operationIdSecret = randomBytes(32).toString('hex');
  const { shop } = await commandShop(store, {
    shopId,
    decide: (state) => createShop(state, { shopId, merchantId, operationIdSecret, settings }),
    origin,
  });
  return shop;
}

type By = { shopId: string; origin: Origin };

export async function changeShopSettings(
  store: EventStore,
  { change, ...by }: By & { change: Parameters<typeof changeShop>[1] },
): Promise<Shop> {
  const decide = (state: Parameters<typeof changeShop>[0]) => changeShop(state, change);
  return (await commandShop(store, { ...by, decide })).shop;
}

/** `replaces`: only if the shop has the routes of that version (`hashRoutes`). */
export async function replaceShopRoutes(
  store: EventStore,
  { routes, replaces, ...by }: By & { routes: Route[]; replaces: string | undefined },
): Promise<Shop> {
  const isMade = (from: readonly Route[]) =>
    replaces === undefined || replaces === hashRoutes(from);
  const decide = (state: Parameters<typeof replaceRoutes>[0]) =>
    replaceRoutes(state, routes, isMade);
  return (await commandShop(store, { ...by, decide })).shop;
}
