import { expect, test, vi } from 'vitest';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { storeForFile } from '#infra/verify/harness/stores/store.ts';
import { readKeyUses, revokedRead } from '#shared/application/directory/key-use.ts';
import { keyUseStream } from '#shared/domain/key-use/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { createApiKeyUse } from './key-use.ts';
import { waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';

const store = storeForFile();

const noon = Date.parse('2026-01-31T12:00:00.000Z');
const minutes = (count: number) => noon + count * 60_000;
const iso = (ms: number) => new Date(ms).toISOString();
const lastUse = async (keyId: string) => (await readKeyUses(store, [{ keyId }])).get(keyId);

test('records the use of a key at intervals, and stores only the newest', async () => {
  const keyId = newId();
  const now = vi.fn<() => number>(() => noon);
  const uses = createApiKeyUse({ store, logger, gatherMs: 1, now });
  for (let index = 0; index < 1_000; index += 1) uses.noteUse(keyId);
  await expect.poll(() => lastUse(keyId)).toBe(iso(noon));
  const [first] = await store.read(keyUseStream(keyId));
  expect(first?.revision).toBe(0);
  now.mockReturnValue(minutes(4));
  uses.noteUse(keyId);
  now.mockReturnValue(minutes(6));
  uses.noteUse(keyId);
  await expect.poll(() => lastUse(keyId)).toBe(iso(minutes(6)));
  expect((await store.read(keyUseStream(keyId))).map(({ revision }) => revision)).toEqual([1]);
  await uses.stop();
});

test('two processes record the use of one key once per interval', async () => {
  const keyId = newId();
  const [one, other] = [0, 1].map((minute) =>
    createApiKeyUse({
      store,
      logger,
      longestEndMs: waitLimitMs,
      now: () => minutes(minute),
    }),
  );
  one?.noteUse(keyId);
  await one?.stop();
  other?.noteUse(keyId);
  await other?.stop();
  expect(await lastUse(keyId)).toBe(iso(noon));
  expect((await store.read(keyUseStream(keyId))).map(({ revision }) => revision)).toEqual([0]);
});

test('stop() records pending uses', async () => {
  const keyIds = Array.from({ length: 20 }, newId);
  const uses = createApiKeyUse({
    store,
    logger,
    gatherMs: 3_600_000,
    longestEndMs: waitLimitMs,
    now: () => noon,
  });
  for (const keyId of keyIds) uses.noteUse(keyId);
  await uses.stop();
  const keys = keyIds.map((keyId) => ({ keyId }));
  expect((await readKeyUses(store, keys)).size).toBe(20);
});

test('reads the uses of active keys and of the newest revoked keys only', async () => {
  const read = vi.fn<EventStore['read']>(store.read);
  const revoked = Array.from({ length: revokedRead + 50 }, (_, index) => ({
    keyId: `revoked-${index}`,
    revokedAt: iso(minutes(index)),
  }));
  const active = Array.from({ length: 3 }, (_, index) => ({ keyId: `active-${index}` }));
  await readKeyUses({ read }, [...revoked, ...active]);
  const streams = new Set(read.mock.calls.map(([stream]) => stream));
  const expected = [...active, ...revoked.slice(50)].map(({ keyId }) => keyUseStream(keyId));
  expect(streams).toEqual(new Set(expected));
  expect(read).toHaveBeenCalledTimes(expected.length);
});

test('logs an unavailable log, and retries later', async () => {
  const keyId = newId();
  const watched = createLogger('test', 'silent');
  const warn = vi.spyOn(watched, 'warn');
  const now = vi.fn<() => number>(() => noon);
  const read = vi.fn<EventStore['read']>(() => Promise.reject(new Error('away')));
  const uses = createApiKeyUse({
    store: { append: store.append, read },
    logger: watched,
    gatherMs: 1,
    now,
  });
  uses.noteUse(keyId);
  await expect.poll(() => warn.mock.calls.length).toBe(1);
  read.mockImplementation(store.read);
  now.mockReturnValue(noon + 29_000);
  uses.noteUse(keyId);
  now.mockReturnValue(noon + 31_000);
  uses.noteUse(keyId);
  await expect.poll(() => lastUse(keyId)).toBe(iso(noon + 31_000));
  expect(read).toHaveBeenCalledTimes(2);
  await uses.stop();
});
