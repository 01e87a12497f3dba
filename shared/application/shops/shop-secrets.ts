import { issueApiKey, revokeApiKey, rotateWebhookSecret } from '#shared/domain/shop/decide.ts';
import type { KeyLimits } from '#shared/domain/shop/events.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { hashApiKey, newApiKey, newWebhookSecret } from '#shared/application/credentials.ts';
import { newId } from '#shared/platform/ids.ts';
import { dayMs } from '#shared/domain/day.ts';
import { commandShop, readShop } from '#shared/application/directory/command-shop.ts';

/** Commands on a shop's secrets, for operators and members. Each throws as `commandShop` does. */

type By = { shopId: string; origin: Origin };
type IssuedKey = { keyId: string; apiKey: string; createdAt: string | undefined };

/** A new API key; only its hash is stored. */
export async function issueShopKey(
  store: EventStore,
  { shopId, label, limits, origin }: By & { label: string; limits: KeyLimits },
): Promise<IssuedKey> {
  const apiKey = newApiKey();
  const stored = { keyId: newId(), keyHash: hashApiKey(apiKey), hint: apiKey.slice(-4) };
  const key = { ...stored, label, limits };
  await commandShop(store, {
    shopId,
    decide: (state) => issueApiKey(state, key),
    origin,
    apiKey: { key_id: key.keyId, key_hash: key.keyHash },
  });
  // Read back: every later list shows the log's own time.
  const { apiKeys } = await readShop(store, shopId);
  const createdAt = apiKeys.find(({ keyId }) => keyId === key.keyId)?.createdAt;
  return { keyId: key.keyId, apiKey, createdAt };
}

export async function revokeShopKey(
  store: EventStore,
  { shopId, keyId, origin }: By & { keyId: string },
): Promise<void> {
  await commandShop(store, { shopId, decide: (state) => revokeApiKey(state, keyId), origin });
}

/** How long a rotated secret also signs, along with its successor (R14.4). */
export const rotationOverlapMs = dayMs;

/** A new secret that signs webhooks: for the first endpoint, or for the named one. */
export async function rotateShopSecret(
  store: EventStore,
  { shopId, endpointId, origin }: By & { endpointId?: string | undefined },
): Promise<string> {
  const newSecret = newWebhookSecret();
  const previousValidUntil = new Date(Date.now() + rotationOverlapMs).toISOString();
  await commandShop(store, {
    shopId,
    decide: (state) => rotateWebhookSecret(state, { endpointId, newSecret, previousValidUntil }),
    origin,
  });
  return newSecret;
}
