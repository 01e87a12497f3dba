import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { useTempFolder } from '#infra/verify/harness/for-file.ts';
import type { WriteRequest, WriteResult } from '../streams/write-request.ts';
import { openStore } from './open-store.ts';

function useStore() {
  const store = openStore(useTempFolder(), {
    onFatal: () => undefined,
    onRefused: () => undefined,
  });
  onTestFinished(() => store.close());
  return async (request: WriteRequest): Promise<WriteResult> => {
    const done = Promise.withResolvers<WriteResult>();
    store.writes.push({ request, bytes: 0, expiresAtMs: Infinity, onResult: done.resolve });
    await nextTurn();
    return done.promise;
  };
}

const append = (stream: string, type: string): WriteRequest => ({
  kind: 'append',
  stream,
  expected: { kind: 'any' },
  events: [
    {
      id: randomBytes(16),
      type,
      contentType: 'application/json',
      data: Buffer.from('{}'),
      metadata: Buffer.from('{}'),
    },
  ],
});

it('rejects a deletion in a closed log, except a copied one (R17.13, R17.14)', async () => {
  const write = useStore();
  await write(append('personal-key-1', 'PersonalKeyCreated'));
  await write(append('log', 'LogClosed'));
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
  expect(await write(append('personal-key-2', 'PersonalKeyCreated'))).toMatchObject({
    kind: 'failed',
  });
});
