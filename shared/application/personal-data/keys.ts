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
export type ShopClient = { shopId: string; clientId: string };

/** `retired`: an erasure of its data has begun; it still decrypts until it is destroyed. */
type KeyState =
  | { state: 'absent' }
  | { state: 'in_use' | 'retired'; key: KeyObject | undefined; revision: number }
  | { state: 'destroyed' };

export type PersonalKeys = {
  /**
   * The client's current key; a new one if there is none. @throws when the store does not answer
   */
  forSealing(client: ShopClient): Promise<PersonalKey>;
  /**
   * The same, but undefined for a client who was erased and has not returned: no new key is
   * created.
   */
  forSealingAfterEnd(client: ShopClient): Promise<PersonalKey | undefined>;
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
 * Half of that, because two clocks are compared, and because a key is used for a short time after
 * it was read.
 */
const justCreatedMs = keyLifetimeMs / 2;
const maxKeys = 20_000;
/** The most erasures of one client; after each, the client gets a new key when it comes back. */
const maxGenerations = 1_000_000;
/** An erasure may begin each time that a new key is made. */
const maxRounds = 10;
const callMs = 5_000;
/** A replica of the store may not have the key yet, although it has data encrypted with it. */
const [readRetries, pauseMs] = [5, 20];

/** The id of a client's key: 128 bits of a hash; `generation` counts the erasures before it. */
export function personalKeyId({ shopId, clientId }: ShopClient, generation: number): string {
  const digest = hash(
    'sha256',
    JSON.stringify(['personal-key', shopId, clientId, generation]),
    'buffer',
  );
  return digest.subarray(0, 16).toString('base64url');
}

type Generation = { generation: number; keyId: string; stored: KeyState };

/**
 * The first of a client's keys that is not past: all before it are, and none after it exists. A few
 * reads are enough, however often the client was erased.
 * @throws when the store does not answer
 */
export async function findGeneration(
  client: ShopClient,
  {
    read,
    isPast,
  }: { read(keyId: string): Promise<KeyState>; isPast(state: KeyState['state']): boolean },
): Promise<Generation> {
  const at = async (generation: number): Promise<Generation> => {
    const keyId = personalKeyId(client, generation);
    return { generation, keyId, stored: await read(keyId) };
  };
  let newestPast = -1;
  let first = await at(0);
  while (isPast(first.stored.state)) {
    newestPast = first.generation;
    if (newestPast > maxGenerations) throw new Error('a client was erased too many times');
    first = await at(2 * newestPast + 1);
  }
  while (first.generation - newestPast > 1) {
    const middle = await at(Math.floor((newestPast + first.generation) / 2));
    if (isPast(middle.stored.state)) newestPast = middle.generation;
    else first = middle;
  }
  return first;
}

const withoutKey = (client: ShopClient): Generation => ({
  generation: 0,
  keyId: personalKeyId(client, 0),
  stored: { state: 'absent' },
});

/** Nothing more is sealed with such a key. */
const isPast = (state: KeyState['state']): boolean => state === 'retired' || state === 'destroyed';

/**
 * The id of the key that seals a client's data from now on, as the log has it; undefined if there
 * is none. @throws when the store does not answer
 */
export async function findKeyInUse(
  store: Pick<EventStore, 'read'>,
  client: ShopClient,
): Promise<string | undefined> {
  const read = (keyId: string) => readKeyState(store, keyId);
  const { keyId, stored } = await findGeneration(client, { read, isPast });
  return stored.state === 'in_use' ? keyId : undefined;
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
  return events ? foldKeyState(events, unwrap) : { state: 'destroyed' };
}

function foldKeyState(
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

/** Clients' keys, cached for `keyLifetimeMs`. */
export function createPersonalKeys({
  store,
  masters,
  actor,
  now = () => performance.now(),
}: {
  store: Pick<EventStore, 'read' | 'append' | 'recent'>;
  masters: MasterKeys;
  /** The actor that creates keys, such as `service:merchant-api`. */
  actor: string;
  now?: () => number;
}): PersonalKeys {
  const cacheOptions = { lifetimeMs: keyLifetimeMs, max: maxKeys, now };
  const sealing = createExpiringCache<PersonalKey>(cacheOptions);
  const opening = createExpiringCache<KeyObject | undefined>(cacheOptions);

  const unwrap = (keyId: string) => (created: PersonalKeyCreated) => masters.unwrap(keyId, created);
  const read = (keyId: string) => readKeyState(store, keyId, unwrap(keyId));
  const create = (client: ShopClient, keyId: string) =>
    createKey({ store, masters, actor }, client, keyId);

  /** `isNew`: new to this process. Most such clients have no key, so none is read. */
  async function findForSealing(client: ShopClient, isNew: boolean): Promise<PersonalKey> {
    const key = await find(client, { afterErasure: true, isNew });
    if (!key) throw new Error('a client may always have a key');
    return key;
  }

  /** The newest key of a client, or a new one; after an erasure only if that is allowed. */
  async function find(
    client: ShopClient,
    { afterErasure, isNew = false }: { afterErasure: boolean; isNew?: boolean },
  ): Promise<PersonalKey | undefined> {
    let next: Generation | undefined = isNew ? withoutKey(client) : undefined;
    for (let round = 0; round < maxRounds; round += 1) {
      next ??= await findGeneration(client, { read, isPast });
      const { keyId, generation, stored } = next;
      if (stored.state === 'absent' && generation > 0 && !afterErasure) return undefined;
      const key = stored.state === 'in_use' ? stored.key : await create(client, keyId);
      if (key) {
        opening.put(keyId, key);
        return { keyId, key };
      }
      const existing = await existingKey(keyId, read);
      next = isPast(existing.state) ? undefined : { keyId, generation, stored: existing };
    }
    throw new Error('the key of a client is replaced again and again');
  }

  return {
    forSealing: (client) =>
      sealing.get(JSON.stringify([client.shopId, client.clientId]), (isKnownClient) =>
        findForSealing(client, !isKnownClient),
      ),
    forSealingAfterEnd: async (client) => {
      const keyId = personalKeyId(client, 0);
      const events = justCreated(store, keyId);
      const recent = events && foldKeyState(events, unwrap(keyId));
      if (recent?.state === 'in_use' && recent.key) return { keyId, key: recent.key };
      return find(client, { afterErasure: false });
    },
    forOpening: (keyId) =>
      opening.get(keyId, async () => {
        const existing = await existingKey(keyId, read);
        if (existing.state === 'destroyed' || existing.state === 'absent') return undefined;
        if (!existing.key) throw new Error(`key ${keyId} was retired before it was created`);
        return existing.key;
      }),
  };
}

/** The events of a key that was just created, from memory. */
function justCreated(
  store: Pick<EventStore, 'recent'>,
  keyId: string,
): readonly StoredEvent[] | undefined {
  const events = store.recent(personalKeyStream(keyId));
  const ageMs = Date.now() - (events?.[0]?.created.getTime() ?? 0);
  return Math.abs(ageMs) < justCreatedMs ? events : undefined;
}

type KeyStore = {
  store: Pick<EventStore, 'append'>;
  masters: MasterKeys;
  actor: string;
};

/** The new key, or undefined if another process has created one. */
async function createKey(
  { store, masters, actor }: KeyStore,
  { shopId }: ShopClient,
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
    throw new Error('it is unknown whether a key was created', { cause: appended.cause });
  return appended?.outcome === 'appended' ? key : undefined;
}

/** Reads a key that must exist, even if the replica lags. */
async function existingKey(
  keyId: string,
  read: (keyId: string) => Promise<KeyState>,
): Promise<KeyState> {
  let state = await read(keyId);
  for (let round = 1; round <= readRetries && state.state === 'absent'; round += 1) {
    await delay(pauseMs * round);
    state = await read(keyId);
  }
  if (state.state === 'absent') throw new Error(`the store does not have key ${keyId}`);
  return state;
}
