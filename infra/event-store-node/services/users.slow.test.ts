import { AccessDeniedError } from '@eventstore/db-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/temp-folder.ts';
import { connectEventStore } from '#shared/platform/event-store/client.ts';
import { startEventStoreNode } from '../start.ts';
import type { EventStoreNode } from '../start.ts';

let folder: string;
let node: EventStoreNode;
beforeAll(async () => {
  folder = makeTempFolder();
  node = await startEventStoreNode({
    directory: folder,
    user: { name: 'gateway', password: 'p-1' },
  });
});
afterAll(async () => {
  await node.stop();
  removeFolder(folder);
});

const by = (user: string) => connectEventStore(`esdb://${user}127.0.0.1:${node.port}?tls=false`);
const event = (id: string) => ({
  id,
  type: 'Happened',
  data: {},
  metadata: { correlation_id: 'c', actor: 'service:test', schema_version: 1 },
});
const append = (store: ReturnType<typeof by>, stream: string) =>
  store.append({
    stream,
    expectedRevision: -1,
    deadlineMs: 500,
    events: [event(crypto.randomUUID())],
  });

it('serves its user: appends, reads, follows and deletes', async () => {
  const store = by('gateway:p-1@');
  expect((await append(store, 'served-1')).outcome).toBe('appended');
  expect(await store.read('served-1')).toHaveLength(1);
  expect((await store.readLog({ after: 0n, maxCount: 10 })).events).not.toEqual([]);
  expect(await store.head()).toBeGreaterThan(0n);
  await store.tombstone('served-1');
  await store.close();
});

it.each([
  ['', AccessDeniedError],
  ['gateway:p-2@', /Unauthenticated|UNAUTHENTICATED/],
  ['admin:p-1@', /Unauthenticated|UNAUTHENTICATED/],
])(
  'refuses %j, as the real server does: it appends, reads and deletes nothing',
  async (user, as) => {
    const [store, owner] = [by(user), by('gateway:p-1@')];
    const stream = `refused-${user}`;
    const refused = await append(store, stream).catch((error: unknown) => error);
    expect(refused).not.toMatchObject({ outcome: 'appended' });
    await expect(store.read(stream)).rejects.toThrow(as);
    await expect(store.head()).rejects.toThrow(as);
    await expect(store.tombstone(stream)).rejects.toThrow(as);
    expect(await owner.read(stream)).toEqual([]);
    await Promise.all([store.close(), owner.close()]);
  },
);

it('is sent over plain text to this machine alone', async () => {
  const user = { name: 'a user', password: 'p@1' };
  const directory = `${folder}-2`;
  const other = await startEventStoreNode({ directory, user, host: '0.0.0.0' });
  const at = (host: string) =>
    connectEventStore(`esdb://a%20user:p%401@${host}:${other.port}?tls=false`);
  // The same node, at an address that could be another machine's.
  const [here, there] = [at('localhost'), at('127.0.0.2')];
  expect(await here.read('x')).toEqual([]);
  await expect(there.read('x')).rejects.toThrow(AccessDeniedError);
  await Promise.all([here.close(), there.close()]);
  await other.stop();
  removeFolder(directory);
});
