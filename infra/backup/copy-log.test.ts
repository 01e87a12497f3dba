import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { CopyCursor } from '#infra/move/cursor.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { copyAvailable } from './copy-log.ts';
import { findBackupPlace } from './open-store.ts';

const eventAt = (position: number): RawEvent => ({
  position,
  stream: `operation-${position}`,
  revision: 0,
  id: `event-${position}`,
  type: 'OperationCreated',
  contentType: 'application/json',
  createdTicks: '17000000000000000',
  data: Buffer.from('{}'),
  metadata: Buffer.from('{}'),
});

it.each([
  ['0.2 s in a folder', '/mnt/backup', 200],
  ['2 s in a bucket', 's3://copies/log', 2_000],
])(
  'writes what it holds after %s, also if every read has more (R26.1)',
  async (_what, to, withinMs) => {
    vi.stubEnv('S3_ACCESS_KEY_ID', 'id').stubEnv('S3_SECRET_ACCESS_KEY', 'key');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { pollMs: holdMs } = findBackupPlace(to);
    let nowMs = 0;
    const read = async function* (after: number) {
      for (let from = after + 1; from <= 3_500; from += 500) {
        nowMs += withinMs * 0.75;
        yield await Promise.resolve(
          Array.from({ length: 500 }, (_, index) => eventAt(from + index)),
        );
      }
    };
    const source = { raw: { read }, isDeleted: () => Promise.resolve(false) };
    const written: number[] = [];
    const writer = {
      last: () => undefined,
      totals: () => ({ position: 0, events: 0, bytes: 0 }),
      write: (events: readonly RawEvent[]) => Promise.resolve(void written.push(events.length)),
    };
    const { signal } = new AbortController();
    const copy = { cursor: new CopyCursor(source.raw), writer };
    await copyAvailable(source, copy, { signal, until: Infinity, holdMs, now: () => nowMs });
    expect(written).toEqual([1_500, 1_500, 500]);
    // Between two reads it pauses for the same time.
    expect(holdMs).toBe(withinMs);
  },
);

it('fails only once its last write has ended (R26.2)', async () => {
  let hasFailed = false;
  const write = Promise.withResolvers<void>();
  const read = async function* () {
    yield await Promise.resolve(Array.from({ length: 500 }, (_, index) => eventAt(index + 1)));
    throw new Error('the event store is gone');
  };
  const source = { raw: { read }, isDeleted: () => Promise.resolve(false) };
  const started = Promise.withResolvers<void>();
  const writer = {
    last: () => undefined,
    totals: () => ({ position: 0, events: 0, bytes: 0 }),
    write: () => {
      started.resolve();
      return write.promise;
    },
  };
  const { signal } = new AbortController();
  const cursor = new CopyCursor(source.raw);
  const copying = copyAvailable(source, { cursor, writer }, { signal, until: Infinity, holdMs: 0 });
  const failed = copying.catch((error: Error) => {
    hasFailed = true;
    return error;
  });
  await started.promise;
  await setImmediate();
  expect(hasFailed).toBe(false);
  write.resolve();
  expect(await failed).toMatchObject({ message: 'the event store is gone' });
});
