import { hash, type KeyObject } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  decodePersonalKeyEvent,
  personalKeyStream,
  type PersonalKeyCreated,
} from '#shared/domain/personal-data/events.ts';
import {
  isStreamDeleted,
  NO_STREAM,
  type EventStore,
  type StoredEvent,
} from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import { createExpiringCache } from './expiring-cache.ts';
import type { MasterKeys } from './master-keys.ts';
import type { PersonalKey } from './sealed-value.ts';

/** A client, by its shop and the shop's own id for it. */
export type Client = { shopId: string; clientId: string };

/** `retired`: an erasure of its data has begun; it still decrypts until it is destroyed. */
type KeyState =
  | { state: 'absent' }
  | { state: 'in_use' | 'retired'; key: KeyObject | undefined; revision: number }
  | { state: 'destroyed' };

export type PersonalKeys = {
  /**
   * The client's current key; a new one if there is none. @throws when the store does not answer
   */
  forSealing(client: Client): Promise<PersonalKey>;
  /**
   * The same, but undefined for a client who was erased and has not come back: no new key is made.
   */
  forSealingAfterEnd(client: Client): Promise<PersonalKey | undefined>;
  /**
   * The key; undefined once it is destroyed. @throws when the store does not answer, or has no such
   * key
   */
  forOpening(keyId: string): Promise<KeyObject | undefined>;
};

/**
 * A process uses a key for at most this long before it reads it again: this long after a key is
 * retired no process encrypts with it, and this long after it is destroyed none decrypts with it.
 */
export const keyLifetimeMs = 20_000;

/**
 * Half of that, because two clocks are compared, and because a key is used for a moment after it
 * was read.
 */
const justMadeMs = keyLifetimeMs / 2;
const maxKeys = 20_000;
/** The most erasures of one client; after each, the client gets a new key when it comes back. */
const maxGenerations = 1_000;
const callMs = 5_000;
/** A replica of the store may not have the key yet, although it has data encrypted with it. */
const [readRetries, pauseMs] = [5, 20];

/** The id of a client's key: 128 bits of a hash; `generation` counts the erasures before it. */
export function personalKeyId({ shopId, clientId }: Client, generation: number): string {
  const digest = hash(
    'sha256',
    JSON.stringify(['personal-key', shopId, clientId, generation]),
    'buffer',
  );
  return digest.subarray(0, 16).toString('base64url');
}

/** The state of a key's stream. @throws when the store does not answer */
export async function readKeyState(
  store: Pick<EventStore, 'read'>,
  keyId: string,
  unwrap: (created: PersonalKeyCreated) => KeyObject | undefined = () => undefined,
): Promise<KeyState> {
  const events = await store
    .read(personalKeyStream(keyId), { deadlineMs: callMs })
    .catch((error: unknown) => {
      if (isStreamDeleted(error)) return undefined;
      throw error;
    });
  return events ? keyStateOf(events, unwrap) : { state: 'destroyed' };
}

function keyStateOf(
  events: readonly StoredEvent[],
  unwrap: (created: PersonalKeyCreated) => KeyObject | undefined,
): KeyState {
  const last = events.at(-1);
  if (!last) return { state: 'absent' };
  const decoded = events.map((event) => decodePersonalKeyEvent(event));
  const created = decoded.find((event) => event.type === 'PersonalKeyCreated');
  const retired = decoded.some(({ type }) => type === 'PersonalKeyRetired');
  return {
    state: retired ? 'retired' : 'in_use',
    key: created && unwrap(created.data),
    revision: last.revision,
  };
}

/** Clients' keys, kept in memory for `keyLifetimeMs`. */
export function createPersonalKeys({
  store,
  masters,
  actor,
  now = () => performance.now(),
}: {
  store: Pick<EventStore, 'read' | 'append' | 'recent'>;
  masters: MasterKeys;
  /** The actor that makes keys, such as `service:merchant-api`. */
  actor: string;
  now?: () => number;
}): PersonalKeys {
  const kept = { lifetimeMs: keyLifetimeMs, max: maxKeys, now };
  const sealing = createExpiringCache<PersonalKey>(kept);
  const opening = createExpiringCache<KeyObject | undefined>(kept);

  const unwrap = (keyId: string) => (created: PersonalKeyCreated) => masters.unwrap(keyId, created);
  const read = (keyId: string) => readKeyState(store, keyId, unwrap(keyId));

  /** `isNew`: not seen by this process before. Most such clients have no key, so none is read. */
  async function findForSealing(client: Client, isNew: boolean): Promise<PersonalKey> {
    const found = await find(client, { afterErasure: true, isNew });
    if (!found) throw new Error(`a client was erased more than ${maxGenerations} times`);
    return found;
  }

  /** The newest key of a client, or a new one; after an erasure only if that is allowed. */
  async function find(
    client: Client,
    { afterErasure, isNew = false }: { afterErasure: boolean; isNew?: boolean },
  ): Promise<PersonalKey | undefined> {
    for (let generation = 0; generation < maxGenerations; generation += 1) {
      const keyId = personalKeyId(client, generation);
      const found: KeyState = isNew && generation === 0 ? { state: 'absent' } : await read(keyId);
      if (found.state === 'absent' && generation > 0 && !afterErasure) return undefined;
      const made =
        found.state === 'absent'
          ? await createKey({ store, masters, actor }, client, keyId)
          : undefined;
      const there = found.state === 'absent' && !made ? await existingKey(keyId, read) : found;
      const key = made ?? (there.state === 'in_use' ? there.key : undefined);
      if (key) {
        opening.put(keyId, key);
        return { keyId, key };
      }
    }
    return undefined;
  }

  return {
    forSealing: (client) =>
      sealing.get(JSON.stringify([client.shopId, client.clientId]), (seen) =>
        findForSealing(client, !seen),
      ),
    forSealingAfterEnd: async (client) => {
      const keyId = personalKeyId(client, 0);
      const events = justMade(store, keyId);
      const found = events && keyStateOf(events, unwrap(keyId));
      if (found?.state === 'in_use' && found.key) return { keyId, key: found.key };
      return find(client, { afterErasure: false });
    },
    forOpening: (keyId) =>
      opening.get(keyId, async () => {
        const found = await existingKey(keyId, read);
        if (found.state === 'destroyed' || found.state === 'absent') return undefined;
        if (!found.key) throw new Error(`key ${keyId} was retired before there was one`);
        return found.key;
      }),
  };
}

/** The events of a key that was just made, from memory: a read is not needed. */
function justMade(
  store: Pick<EventStore, 'recent'>,
  keyId: string,
): readonly StoredEvent[] | undefined {
  const events = store.recent(personalKeyStream(keyId));
  const ageMs = Date.now() - (events?.[0]?.created.getTime() ?? 0);
  return Math.abs(ageMs) < justMadeMs ? events : undefined;
}

type Maker = {
  store: Pick<EventStore, 'append'>;
  masters: MasterKeys;
  actor: string;
};

/** The new key, or undefined if another process has made one. */
async function createKey(
  { store, masters, actor }: Maker,
  { shopId }: Client,
  keyId: string,
): Promise<KeyObject | undefined> {
  const { key, ...wrapped } = masters.create(keyId);
  const created = {
    type: 'PersonalKeyCreated',
    data: { shop_id: shopId, key_id: keyId, ...wrapped },
  } as const;
  const origin: Origin = { actor, correlationId: newId() };
  const appended = await store
    .append({
      stream: personalKeyStream(keyId),
      expectedRevision: NO_STREAM,
      events: toNewEvents([created], origin),
      deadlineMs: callMs,
    })
    .catch((error: unknown) => {
      if (isStreamDeleted(error)) return undefined;
      throw error;
    });
  if (appended?.outcome === 'unknown')
    throw new Error('it is not known whether a key was made', { cause: appended.cause });
  return appended?.outcome === 'appended' ? key : undefined;
}

/** Reads a key that must exist, even if the replica lags. */
async function existingKey(
  keyId: string,
  read: (keyId: string) => Promise<KeyState>,
): Promise<KeyState> {
  let found = await read(keyId);
  for (let round = 1; round <= readRetries && found.state === 'absent'; round += 1) {
    await delay(pauseMs * round);
    found = await read(keyId);
  }
  if (found.state === 'absent') throw new Error(`the store does not show key ${keyId}`);
  return found;
}
