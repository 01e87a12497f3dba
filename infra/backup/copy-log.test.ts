import { expect, it } from 'vitest';
import { CopyCursor } from '#infra/move/cursor.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { copyAvailable } from './copy-log.ts';

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

it('writes what it holds after a while, also if every read has more', async () => {
  let nowMs = 0;
  const read = async function* (after: number) {
    for (let from = after + 1; from <= 3_500; from += 500) {
      nowMs += 150;
      yield await Promise.resolve(Array.from({ length: 500 }, (_, index) => eventAt(from + index)));
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
  await copyAvailable(source, copy, { signal, holdMs: 200, now: () => nowMs });
  expect(written).toEqual([1_500, 1_500, 500]);
});
