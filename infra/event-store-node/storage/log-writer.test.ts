import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import type { AppendWrite, WriteRequest, WriteResult } from '../streams/write-request.ts';
import { openNodeDatabase } from './database.ts';
import { createEventLog } from './event-log.ts';
import { LogWriter } from './log-writer.ts';
import { openStore } from './open-store.ts';
import { createRecentIds } from './recent-ids.ts';
import { StreamDirectory } from './stream-directory.ts';
import { WriteQueue } from './write-queue.ts';

function open(folder: string) {
  return openStore(folder, { onFatal: () => undefined, onRefused: () => undefined });
}

function useStore(folder = useTempFolder()) {
  const store = open(folder);
  onTestFinished(() => store.close());
  return { write: writerTo(store.writes) };
}

/** A store whose disk is full while its file may not grow. */
function useSmallDisk() {
  const database = openNodeDatabase(useTempFolder());
  onTestFinished(() => database.close());
  const log = createEventLog(database);
  const streams = new StreamDirectory(log, 10);
  const writer = new LogWriter({ log, streams, recentIds: createRecentIds(1024) });
  const refused: unknown[] = [];
  const writes = new WriteQueue({
    transactions: log,
    writer,
    onWritten: () => undefined,
    onFatal: (error) => {
      throw error;
    },
    onRefused: (error) => void refused.push(error),
  });
  return {
    log,
    refused,
    write: writerTo(writes),
    fill: () => database.exec('PRAGMA max_page_count = 1'),
    makeRoom: () => database.exec('PRAGMA max_page_count = 100000'),
  };
}

const writerTo =
  (writes: Pick<WriteQueue, 'push'>) =>
  async (request: WriteRequest): Promise<WriteResult> => {
    const done = Promise.withResolvers<WriteResult>();
    writes.push({ request, bytes: 0, expiresAtMs: Infinity, onResult: done.resolve });
    await nextTurn();
    return done.promise;
  };

const newEvent = (type: string, data = '{}') => ({
  id: randomBytes(16),
  type,
  contentType: 'application/json',
  data: Buffer.from(data),
  metadata: Buffer.from('{}'),
});

const append = (
  stream: string,
  events: AppendWrite['events'],
  expected: AppendWrite['expected'] = { kind: 'any' },
): WriteRequest => ({ kind: 'append', stream, expected, events });

it('rejects a deletion in a closed log, except a copied one (R17.13, R17.14)', async () => {
  const { write } = useStore();
  await write(append('personal-key-1', [newEvent('PersonalKeyCreated')]));
  await write(append('log', [newEvent('LogClosed')]));
  const deletion = {
    kind: 'tombstone',
    stream: 'personal-key-1',
    expected: { kind: 'any' },
  } as const;
  expect(await write(deletion)).toMatchObject({ kind: 'failed' });
  expect(await write({ ...deletion, kind: 'soft' })).toMatchObject({ kind: 'failed' });
  const recorded = { createdMs: 1_700_000_000_000, position: 1_000_000 };
  expect(await write({ ...deletion, recorded })).toEqual({
    kind: 'done',
    revision: 0,
    position: recorded.position,
  });
  expect(await write({ ...deletion, recorded })).toMatchObject({ kind: 'deleted' });
  expect(await write(append('personal-key-2', [newEvent('PersonalKeyCreated')]))).toMatchObject({
    kind: 'failed',
  });
});

it('recognises an append of any revision that is repeated after a restart', async () => {
  const folder = useTempFolder();
  const before = open(folder);
  const request = append('stream', [newEvent('Happened')]);
  const first = await writerTo(before.writes)(request);
  before.close();
  const { write } = useStore(folder);
  expect(await write(request)).toEqual(first);
  expect(await write(append('stream', [newEvent('Happened')]))).toMatchObject({ revision: 1 });
});

it.each<[string, AppendWrite['expected'], AppendWrite['expected']]>([
  ['any revision', { kind: 'any' }, { kind: 'any' }],
  ['an exact revision', { kind: 'exact', revision: 0n }, { kind: 'no_stream' }],
])('appends with %s to the streams that a full disk refused', async (_, expected, expectedNew) => {
  const { write, fill, makeRoom, refused, log } = useSmallDisk();
  const first = append('old', [newEvent('Happened')]);
  const done = await write(first);
  fill();
  const tooMuch = [newEvent('Happened'), newEvent('Happened', 'x'.repeat(100_000))];
  for (const stream of ['old', 'new'])
    expect(await write(append(stream, tooMuch))).toMatchObject({ kind: 'failed' });
  expect(refused).toMatchObject([{ errcode: 13 }, { errcode: 13 }]);
  makeRoom();
  expect(await write(first)).toEqual(done);
  const next = [newEvent('Happened')];
  expect(await write(append('old', next, expected))).toMatchObject({ kind: 'done', revision: 1 });
  expect(await write(append('new', next, expectedNew))).toMatchObject({
    kind: 'done',
    revision: 0,
  });
  expect(log.findStream('new')).toBeDefined();
});
