import { expect, it } from 'vitest';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import type { CopyRequest } from '#shared/platform/event-store/batch-append/encode.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { LogComparison, NotACopy } from './compare.ts';
import { copyAfter } from './copy.ts';
import type { MoveLog } from './logs.ts';

const event = (position: number, stream: string, revision: number): RawEvent => ({
  position,
  stream,
  revision,
  id: `00000000-0000-4000-8000-${String(position).padStart(12, '0')}`,
  type: 'Tested',
  contentType: 'application/json',
  createdTicks: '17000000000000000',
  data: Buffer.from('{}'),
  metadata: Buffer.from('{"actor":"a"}'),
});

/** A log in memory; its n-th append may fail. */
function createMemory(events: RawEvent[], { fails }: { fails?: number } = {}) {
  const sent: string[] = [];
  const log = {
    asRecorded: true,
    isDeleted: async () => false,
    raw: {
      read: async function* (after: number) {
        const later = events.filter(({ position }) => position > after);
        if (later.length > 0) yield later;
      },
    },
    store: {
      read: async (stream: string) =>
        events.filter((each) => each.stream === stream).slice(-1) as unknown as StoredEvent[],
    },
    copy: async ({ stream, expectedRevision, events: copies }: CopyRequest) => {
      sent.push(`${stream} ${Number(expectedRevision) + 1}`);
      if (sent.length === fails) throw new Error('it was not written');
      const position = (events.at(-1)?.position ?? 0) + 1;
      events.push(...copies.map((each, at) => ({ ...each, position: position + at })));
    },
  };
  return { log: log as unknown as MoveLog, events, sent };
}

const limits = {
  maxEvents: 1_000,
  onCopied: () => undefined,
  signal: new AbortController().signal,
};

it('fills the gaps of a scavenge, so that revisions are preserved (R17.13)', async () => {
  const key = 'api-key-use-1';
  const source = createMemory([event(1, 'operation-1', 0), event(7, key, 3), event(9, key, 5)]);
  const target = createMemory([]);
  const logs = { source: source.log, target: target.log };
  await copyAfter(logs, 0, limits);
  expect(target.events.map(({ stream, revision }) => `${stream} ${revision}`)).toEqual([
    'operation-1 0',
    ...[0, 1, 2, 3, 4, 5].map((revision) => `${key} ${revision}`),
  ]);
  const comparison = new LogComparison(logs);
  await comparison.toEnd();
  expect(comparison.events).toBe(3);
});

it('appends adjacent events of a stream together, and stops at a failure (R17.13)', async () => {
  const events = [
    event(1, 'operation-1', 0),
    event(2, 'operation-1', 1),
    event(3, 'operation-2', 0),
    event(4, 'operation-1', 2),
    event(5, 'operation-3', 0),
  ];
  const whole = createMemory([]);
  await copyAfter({ source: createMemory(events).log, target: whole.log }, 0, limits);
  const inOrder = ['operation-1 0', 'operation-2 0', 'operation-1 2', 'operation-3 0'];
  expect(whole.sent).toEqual(inOrder);

  const failing = createMemory([], { fails: 1 });
  const copying = copyAfter({ source: createMemory(events).log, target: failing.log }, 0, limits);
  await expect(copying).rejects.toThrow('it was not written');
  expect(failing.sent).toEqual(inOrder.slice(0, 1));
});

it('rejects a target in another order (R17.13)', async () => {
  const [one, two] = [event(1, 'operation-1', 0), event(2, 'operation-2', 0)];
  const source = createMemory([one, two]);
  const target = createMemory([
    { ...two, position: 1 },
    { ...one, position: 2 },
  ]);
  const comparison = new LogComparison({ source: source.log, target: target.log });
  await expect(comparison.toEnd()).rejects.toThrow(NotACopy);
});
