import { StreamDeletedError } from '@eventstore/db-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { personalKeyStream } from '#shared/domain/personal-data/events.ts';
import type { AppendRequest, EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import { createPersonalKeys, findKeyInUse, keyLifetimeMs, personalKeyId } from './keys.ts';
import { testMasters } from './testing/personal-data.ts';

const client = { shopId: 'shop', clientId: 'client' };

/** A store in memory: its streams, the deleted ones, and the reads and appends it got. */
function memoryStore() {
  const streams = new Map<string, AppendRequest['events'][number][]>();
  const deleted = new Set<string>();
  const calls = { reads: 0, appends: 0 };
  const throwIfDeleted = (stream: string) => {
    if (deleted.has(stream)) throw new StreamDeletedError(undefined, stream);
  };
  const recent: StoredEvent[] = [];
  const store = {
    recent: (stream: string) => (recent[0]?.stream === stream ? recent : undefined),
    read: async (stream: string) => {
      calls.reads += 1;
      throwIfDeleted(stream);
      return (streams.get(stream) ?? []).map((event, revision) => ({ ...event, stream, revision }));
    },
    append: async ({ stream, events, expectedRevision }: AppendRequest) => {
      calls.appends += 1;
      throwIfDeleted(stream);
      const existing = streams.get(stream) ?? [];
      if (expectedRevision !== existing.length - 1)
        return { outcome: 'conflict', actualRevision: existing.length - 1 };
      streams.set(stream, [...existing, ...events]);
      return { outcome: 'appended', revision: existing.length, position: 1n };
    },
  } as unknown as EventStore;
  return { store, streams, deleted, calls, recent };
}

let memory: ReturnType<typeof memoryStore>;
let nowMs: number;
const keysOf = () =>
  createPersonalKeys({
    store: memory.store,
    masters: testMasters,
    actor: 'service:test',
    now: () => nowMs,
  });
beforeEach(() => {
  memory = memoryStore();
  nowMs = 0;
});

describe('a client’s key', () => {
  it('is created once for concurrent requests, in this process and in others', async () => {
    const [here, elsewhere] = [keysOf(), keysOf()];
    const keys = await Promise.all([
      ...Array.from({ length: 5 }, () => here.forSealing(client)),
      elsewhere.forSealing(client),
    ]);
    const [first] = keys;
    for (const { keyId, key } of keys) {
      expect(keyId).toBe(personalKeyId(client, 0));
      expect(first && key.equals(first.key)).toBe(true);
    }
    expect(memory.streams.get(personalKeyStream(personalKeyId(client, 0)))).toHaveLength(1);
    expect((await keysOf().forOpening(first?.keyId ?? ''))?.equals(first?.key as never)).toBe(true);
  });

  it('is separate for each shop and client', async () => {
    const keys = keysOf();
    const ids = await Promise.all(
      [client, { ...client, shopId: 'other' }, { ...client, clientId: 'other' }].map((each) =>
        keys.forSealing(each),
      ),
    );
    expect(new Set(ids.map(({ keyId }) => keyId)).size).toBe(3);
  });

  it.each([0, 1, 2, 3, 4, 7, 8, 100, 1_000])(
    'is found after %i erasures with a few reads, and is the next of its generations',
    async (erasures) => {
      for (let generation = 0; generation < erasures; generation += 1)
        memory.deleted.add(personalKeyStream(personalKeyId(client, generation)));
      const { keyId } = await keysOf().forSealing(client);
      expect(keyId).toBe(personalKeyId(client, erasures));
      expect(await findKeyInUse(memory.store, client)).toBe(keyId);
      expect(memory.calls.reads).toBeLessThan(2 * 2 * (Math.log2(erasures + 1) + 2));
    },
  );

  it('costs one append when new, and one read to obtain an existing key', async () => {
    await keysOf().forSealing(client);
    expect(memory.calls).toEqual({ reads: 0, appends: 1 });
    const keys = keysOf();
    await keys.forSealing(client);
    expect(memory.calls).toEqual({ reads: 1, appends: 2 });
    nowMs = keyLifetimeMs;
    await keys.forSealing(client);
    expect(memory.calls).toEqual({ reads: 2, appends: 2 });
  });

  it('is taken from the feed if recent, and read if older', async () => {
    const { keyId, key } = await keysOf().forSealing(client);
    const stream = personalKeyStream(keyId);
    const [created] = memory.streams.get(stream) ?? [];
    const putInFeed = (agoMs: number) =>
      memory.recent.splice(0, 1, {
        ...(created as StoredEvent),
        stream,
        revision: 0,
        position: 1n,
        created: new Date(Date.now() - agoMs),
      });
    putInFeed(0);
    expect((await keysOf().forSealingAfterEnd(client))?.key.equals(key)).toBe(true);
    expect(memory.calls.reads).toBe(0);
    putInFeed(keyLifetimeMs / 2);
    expect((await keysOf().forSealingAfterEnd(client))?.key.equals(key)).toBe(true);
    expect(memory.calls.reads).toBe(1);
  });

  it('is served from the cache, and read again after expiry', async () => {
    const keys = keysOf();
    const { keyId } = await keys.forSealing(client);
    const createdCalls = { ...memory.calls };
    await keys.forSealing(client);
    await keys.forOpening(keyId);
    expect(memory.calls).toEqual(createdCalls);
    nowMs = keyLifetimeMs;
    await keys.forSealing(client);
    expect(memory.calls).toEqual({ ...createdCalls, reads: createdCalls.reads + 1 });
  });

  it('decrypts after its retirement, but never after its destruction', async () => {
    const keys = keysOf();
    const { keyId } = await keys.forSealing(client);
    const stream = personalKeyStream(keyId);
    const metadata = { actor: 'operator:alice', correlation_id: 'c', schema_version: 1 };
    const retired = [{ id: 'e', type: 'PersonalKeyRetired', data: { key_id: keyId }, metadata }];
    await memory.store.append({ stream, expectedRevision: 0, events: retired });
    nowMs = keyLifetimeMs;
    expect((await keys.forSealing(client)).keyId).toBe(personalKeyId(client, 1));
    expect(await keys.forOpening(keyId)).toBeDefined();
    memory.deleted.add(stream);
    nowMs = 2 * keyLifetimeMs;
    expect(await keys.forOpening(keyId)).toBeUndefined();
    expect((await keysOf().forSealing(client)).keyId).toBe(personalKeyId(client, 1));
  });

  it('causes an error if the store lacks it or is unavailable', async () => {
    await expect(keysOf().forOpening(personalKeyId(client, 0))).rejects.toThrow(
      'does not have key',
    );
    const keys = keysOf();
    const { append } = memory.store;
    memory.store.append = () => Promise.reject(new Error('away'));
    await expect(keys.forSealing(client)).rejects.toThrow('away');
    memory.store.append = append;
    expect(await keys.forSealing(client)).toBeDefined();
  });
});
