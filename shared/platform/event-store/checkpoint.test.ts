import { StreamDeletedError } from '@eventstore/db-client';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { CheckpointNotInLog, createCheckpointGuard } from './checkpoint-guard.ts';
import {
  checkpointAfter,
  checkpointAt,
  checkpointFromRow,
  findCheckpoint,
  identityToJson,
  passedItem,
  readCheckpointAt,
  type CheckpointReads,
  type LogCheckpoint,
} from './checkpoint.ts';
import { storedEvent } from './testing/new-event.ts';
import type { StoredEvent } from './types.ts';

const event = (position: number, { stream = 'operation-a', id = `id-${position}` } = {}) => ({
  stream,
  revision: position,
  id,
  position: BigInt(position),
});
const stored = (position: number, named: { stream?: string; id?: string } = {}): StoredEvent =>
  storedEvent(event(position, named));

type Log = CheckpointReads;
const logOf = (...events: StoredEvent[]): Log => ({
  readLog: async ({ after }) => {
    const at = events.find(({ position }) => position === after);
    return {
      events: [],
      gap: !at,
      ...(at && { at: { ...at, read: () => at } }),
    };
  },
  head: async () => events.at(-1)?.position ?? 0n,
  read: async (stream, { fromRevision = 0 } = {}) =>
    events.filter((each) => each.stream === stream && each.revision >= fromRevision).slice(0, 1),
});
const at = (position: number, named = {}): LogCheckpoint => checkpointAt(stored(position, named));

describe('log checkpoint', () => {
  const log = logOf(stored(1), stored(5), stored(9));

  it.each([
    ['its event has the same revision and id', at(5), 'in_log'],
    ['its event has another id', at(5, { id: 'other' }), 'other_log'],
    ['its stream has no event at the revision', at(5, { stream: 'operation-b' }), 'other_log'],
    [
      'its position is after its event',
      { position: 9n, event: event(5, { id: 'id-5' }) },
      'in_log',
    ],
    ['it is beyond the end of the log', at(12), 'beyond_end'],
    [
      'it is beyond the end, and another event has the revision',
      { position: 12n, event: { ...event(12), revision: 9 } },
      'other_log',
    ],
    ['it is a bare position within the log', { position: 7n }, 'in_log'],
    ['it is a bare position beyond the log', { position: 10n }, 'beyond_end'],
  ] as const)('is compared with the log: %s', async (_name, checkpoint, finding) => {
    expect(await findCheckpoint(log, checkpoint)).toBe(finding);
  });

  it('belongs to another log if its event has another position (R17.12)', async () => {
    const copied = { position: 5n, event: { ...event(5), position: 4n } };
    expect(await findCheckpoint(log, copied)).toBe('other_log');
  });

  it('is found by an event without a position, as an earlier version stored it', async () => {
    const { position: _position, ...older } = event(1);
    expect(await findCheckpoint(log, { position: 5n, event: older })).toBe('in_log');
    expect(await findCheckpoint(log, { position: 5n, event: { ...older, id: 'x' } })).toBe(
      'other_log',
    );
  });

  it('is only compared with the end of the log if its stream was tombstoned', async () => {
    const deleted: Log = {
      ...log,
      read: async () => {
        throw Object.create(StreamDeletedError.prototype) as StreamDeletedError;
      },
    };
    expect(await findCheckpoint(deleted, at(5))).toBe('in_log');
    expect(await findCheckpoint(deleted, at(12))).toBe('beyond_end');
  });

  it('belongs to another log if the store has no record at its bare position (R17.14)', async () => {
    const answering = (code: number, message: string): Log => ({
      ...log,
      readLog: () => Promise.reject(Object.assign(new Error(message), { code })),
    });
    for (const message of ['Exception was thrown by handler.', 'Unexpected ReadAllResult: Error']) {
      const noRecord = answering(2, `2 UNKNOWN: ${message}`);
      expect(await findCheckpoint(noRecord, { position: 7n })).toBe('other_log');
      expect(await findCheckpoint(noRecord, at(5))).toBe('in_log');
    }
    const silent = answering(14, '14 UNAVAILABLE: no connection');
    await expect(findCheckpoint(silent, { position: 7n })).rejects.toThrow('UNAVAILABLE');
  });

  it('is read at a position where an event of a lasting stream is', async () => {
    const lasting = ['operation-'];
    expect(await readCheckpointAt(log, 5n, lasting)).toEqual(at(5));
    expect(await readCheckpointAt(log, 7n, lasting)).toBeUndefined();
    expect(await readCheckpointAt(log, 5n, ['ledger-'])).toBeUndefined();
  });

  it('is neither accepted nor rejected while the store does not respond (R17.12)', async () => {
    const silent = { ...log, read: () => Promise.reject(new Error('no answer')) };
    await expect(findCheckpoint(silent, at(5))).rejects.toThrow('no answer');
    const headless = { ...log, head: () => Promise.reject(new Error('no head')) };
    await expect(findCheckpoint(headless, { position: 1n })).rejects.toThrow('no head');
  });

  it('is the last item of a batch that has an identity, and round-trips through a row', () => {
    const lasting = ['ledger-'];
    const passed = passedItem(stored(7, { stream: 'ledger-x' }), 7n, lasting);
    const batch = [
      { kind: 'event', event: stored(5) } as const,
      passed,
      passedItem(stored(8, { stream: 'personal-key-c' }), 8n, lasting),
      { kind: 'checkpoint', position: 9n } as const,
      { kind: 'caught_up' } as const,
    ];
    const checkpoint = at(7, { stream: 'ledger-x' });
    expect(checkpointAfter(batch)).toEqual(checkpoint);
    expect(checkpointAfter(batch.slice(2))).toBeUndefined();
    const json = identityToJson(checkpoint);
    expect(checkpointFromRow('7', JSON.parse(json ?? 'null') as never)).toEqual(checkpoint);
    expect(identityToJson({ position: 7n })).toBeNull();
    expect(checkpointFromRow('7', null)).toEqual({ position: 7n });
  });
});

describe('checkpoint guard', () => {
  const log = logOf(stored(1), stored(5));

  function createGuard(movedTo: () => string | undefined = () => undefined) {
    const logLines: string[] = [];
    const logger = pino({ level: 'info' }, { write: (line: string) => void logLines.push(line) });
    const metrics = createMetrics('test');
    const clock = { ms: 0 };
    const guard = createCheckpointGuard({
      logger,
      metrics,
      now: () => clock.ms,
      movedTo: async () => movedTo(),
    });
    const gauge = async () =>
      (await metrics.getSingleMetric('gateway_checkpoint_not_in_log')?.get())?.values.map(
        ({ labels, value }) => [labels['follower'], value],
      );
    return { guard, clock, logLines, gauge };
  }

  it('rejects a checkpoint of another log at once, reports it, and logs it once', async () => {
    const { guard, logLines, gauge } = createGuard();
    await guard.verify('first', log, at(5));
    await guard.verify('new', log, undefined);
    for (let attempt = 0; attempt < 3; attempt += 1)
      await expect(guard.verify('second', log, at(5, { id: 'other' }))).rejects.toThrow(
        CheckpointNotInLog,
      );
    expect(guard.notReady()).toMatch(/^the checkpoint of second is not in the log/);
    expect(logLines).toHaveLength(1);
    expect(await gauge()).toEqual([
      ['first', 0],
      ['new', 0],
      ['second', 1],
    ]);
  });

  it('logs once that the log was moved, and fires no alert (R17.14)', async () => {
    let to: string | undefined = 'db-1:2113';
    const { guard, logLines, gauge } = createGuard(() => to);
    for (const follower of ['one', 'two', 'one'])
      for (const checkpoint of [at(5, { id: 'other' }), at(9)])
        await expect(guard.verify(follower, log, checkpoint)).rejects.toThrow(
          `the log was moved to db-1:2113: ${follower} does not follow`,
        );
    expect(logLines).toHaveLength(1);
    expect(logLines[0]).toContain('the log was moved to db-1:2113');
    expect(guard.notReady()).toContain('the log was moved to db-1:2113');
    expect(await gauge()).toEqual([
      ['one', 0],
      ['two', 0],
    ]);
    // A checkpoint of this log is followed as before, also while it is closed.
    await guard.verify('one', log, at(5));
    to = undefined;
    await expect(guard.verify('two', log, at(5, { id: 'other' }))).rejects.toThrow(
      'not in the log',
    );
    expect(await gauge()).toContainEqual(['two', 1]);
  });

  it('lets a replica lag behind a checkpoint for 10 s, then rejects it (R17.12)', async () => {
    const { guard, clock, logLines } = createGuard();
    const verify = () => guard.verify('one', log, at(9));
    await expect(verify()).rejects.not.toThrow(CheckpointNotInLog);
    clock.ms = 9_999;
    await expect(verify()).rejects.not.toThrow(CheckpointNotInLog);
    expect(guard.notReady()).toBe('the event store does not show the checkpoint of one yet');
    expect(logLines).toEqual([]);
    clock.ms = 10_000;
    await expect(verify()).rejects.toThrow(CheckpointNotInLog);
    expect(guard.notReady()).toMatch(/beyond the end of the log/);

    const grown = logOf(stored(1), stored(5), stored(9));
    await guard.verify('one', grown, at(9));
    expect(guard.notReady()).toBeUndefined();
    // Later, a replica lags again.
    clock.ms = 60_000;
    await expect(verify()).rejects.not.toThrow(CheckpointNotInLog);
    expect(guard.notReady()).toBeUndefined();
  });

  it('is not ready until the store has shown the checkpoint, and stays so from then on', async () => {
    const { guard } = createGuard();
    const answered = Promise.withResolvers<void>();
    const slow = { ...log, head: () => answered.promise.then(() => log.head()) };
    const verified = guard.verify('one', slow, at(5));
    expect(guard.notReady()).toBe('the event store does not show the checkpoint of one yet');
    answered.resolve();
    await verified;
    expect(guard.notReady()).toBeUndefined();
    const silent = { ...log, head: () => Promise.reject(new Error('no answer')) };
    await expect(guard.verify('one', silent, at(5))).rejects.toThrow('no answer');
    expect(guard.notReady()).toBeUndefined();
  });

  it('neither adds nor clears a rejection while the store does not respond', async () => {
    const { guard, gauge } = createGuard();
    const silent = { ...log, head: () => Promise.reject(new Error('no answer')) };
    await expect(guard.verify('one', silent, at(5))).rejects.toThrow('no answer');
    expect(guard.missing()).toBeUndefined();
    await expect(guard.verify('one', log, at(5, { id: 'other' }))).rejects.toThrow(
      CheckpointNotInLog,
    );
    await expect(guard.verify('one', silent, at(5))).rejects.toThrow('no answer');
    expect(guard.notReady()).toBeDefined();
    guard.release('one');
    expect(guard.notReady()).toBeUndefined();
    expect(await gauge()).toEqual([['one', 0]]);
  });
});
