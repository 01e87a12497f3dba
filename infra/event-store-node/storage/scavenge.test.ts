import { randomBytes } from 'node:crypto';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/processes/temp-folder.ts';
import type { WriteRequest, WriteResult } from '../streams/write-request.ts';
import { openNodeDatabase } from './database.ts';
import { openStore, type NodeStore } from './open-store.ts';
import { createScavenger } from './scavenge.ts';

let folder: string;
beforeEach(() => {
  folder = makeTempFolder();
});
afterEach(() => removeFolder(folder));

const open = (name = 'data'): NodeStore =>
  openStore(join(folder, name), {
    onFatal: (error) => {
      throw error;
    },
    onRefused: () => undefined,
  });

async function write(store: NodeStore, request: WriteRequest): Promise<WriteResult> {
  const done = Promise.withResolvers<WriteResult>();
  store.writes.push({ request, bytes: 0, expiresAtMs: Infinity, onResult: done.resolve });
  await nextTurn();
  return done.promise;
}
const append = (store: NodeStore, stream: string, data: Buffer) => {
  const event = {
    id: randomBytes(16),
    type: 'Happened',
    contentType: 'application/json',
    data,
    metadata: Buffer.from('{}'),
  };
  return write(store, { kind: 'append', stream, expected: { kind: 'any' }, events: [event] });
};
const tombstone = (store: NodeStore, stream: string) =>
  write(store, { kind: 'tombstone', stream, expected: { kind: 'any' } });

/** The number of these byte sequences that the files of the store contain. */
function countIn(name: string, secrets: readonly Buffer[]): number {
  const all = Buffer.concat(
    readdirSync(join(folder, name)).map((file) => readFileSync(join(folder, name, file))),
  );
  return secrets.filter((secret) => all.includes(secret)).length;
}

/** All events that can be read, without the node's own records. */
const visible = (store: NodeStore) =>
  store.log
    .allForwards(0, 10_000)
    .filter(({ streamId }) => streamId > 0)
    .map(({ position, streamId, revision, type, record }) => ({
      position,
      streamId,
      revision,
      type,
      record: Buffer.from(record).toString('hex'),
    }));

/** Streams of one event each, enough to fill pages; every third one is tombstoned. */
async function writeStreams(store: NodeStore) {
  const secrets = Array.from({ length: 300 }, () => Buffer.from(randomBytes(100).toString('hex')));
  for (const [index, secret] of secrets.entries()) await append(store, `stream-${index}`, secret);
  const large = Buffer.from(randomBytes(20_000).toString('hex'));
  await append(store, 'stream-large', large);
  const deleted = secrets.filter((_, index) => index % 3 === 0);
  for (let index = 0; index < secrets.length; index += 3) await tombstone(store, `stream-${index}`);
  await tombstone(store, 'stream-large');
  const remaining = secrets.filter((_, index) => index % 3 !== 0);
  // The large event spans several pages of the file.
  return {
    deleted: [...deleted, large.subarray(6_000, 6_200), large.subarray(30_000, 30_200)],
    remaining,
  };
}

it('removes every byte of deleted events from all files, and no other event', async () => {
  const store = open();
  const { deleted, remaining } = await writeStreams(store);
  expect(countIn('data', deleted)).toBe(deleted.length);
  const before = visible(store);
  const end = store.logEnd();
  store.scavenge();
  expect(countIn('data', deleted)).toBe(0);
  expect(countIn('data', remaining)).toBe(remaining.length);
  const isDeletedEvent = ({ record, type }: { record: string; type: string }) =>
    type !== '$streamDeleted' && deleted.some((secret) => record.includes(secret.toString('hex')));
  expect(visible(store)).toEqual(before.filter((event) => !isDeletedEvent(event)));
  expect(store.logEnd()).toBe(end);
  expect(await append(store, 'stream-0', Buffer.from('{}'))).toMatchObject({ kind: 'deleted' });
  expect(await append(store, 'stream-1', Buffer.from('{}'))).toMatchObject({
    kind: 'done',
    revision: 1,
  });
  store.writes.close();
  store.close();

  const again = open();
  expect(visible(again).slice(0, -1)).toEqual(before.filter((event) => !isDeletedEvent(event)));
  expect(await append(again, 'stream-0', Buffer.from('{}'))).toMatchObject({ kind: 'deleted' });
  again.writes.close();
  again.close();
});

it('completes after a crash that left deletions only in the write-ahead log', async () => {
  const store = open();
  const { deleted, remaining } = await writeStreams(store);
  // The files as after a crash of the machine: the database with its write-ahead log.
  cpSync(join(folder, 'data'), join(folder, 'died'), { recursive: true });
  store.writes.close();
  store.close();
  const next = open('died');
  next.scavenge();
  expect(countIn('died', deleted)).toBe(0);
  expect(countIn('died', remaining)).toBe(remaining.length);
  next.writes.close();
  next.close();
});

it('completes if a node died before the old state was removed', async () => {
  const store = open();
  const { deleted } = await writeStreams(store);
  store.writes.close();
  store.close();
  const database = openNodeDatabase(join(folder, 'data'));
  expect(createScavenger(database).overwrite()).toBe(101);
  cpSync(join(folder, 'data'), join(folder, 'died'), { recursive: true });
  database.close();
  expect(countIn('died', deleted)).toBeGreaterThan(0);
  const next = open('died');
  next.scavenge();
  expect(countIn('died', deleted)).toBe(0);
  next.writes.close();
  next.close();
});
