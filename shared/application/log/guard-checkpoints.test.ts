import { expect, it } from 'vitest';
import { logStream } from '#shared/domain/log/events.ts';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import type { CheckpointReads } from '#shared/platform/event-store/index.ts';
import { storedEvent } from '#shared/platform/event-store/testing/new-event.ts';
import { guardCheckpoints } from './guard-checkpoints.ts';

const event = { stream: 'operation-1', revision: 0, id: 'other', position: 3n };

/** A log that has another event at the checkpoint, and these about its location. */
const logWith = (...located: { type: string; data: object }[]): CheckpointReads => ({
  head: async () => 9n,
  readLog: async () => ({ events: [], gap: true }),
  read: async (stream) => {
    if (stream !== logStream) return [storedEvent({ ...event, id: 'this' })];
    const newest = located.at(-1);
    return newest ? [storedEvent({ ...newest, stream, revision: located.length - 1 })] : [];
  },
});

it.each([
  ['a log that was never moved', logWith(), 'is not in the log'],
  [
    'a log that was moved',
    logWith({ type: 'LogClosed', data: { to: 'db-1:2113' } }),
    'the log was moved to db-1:2113',
  ],
  [
    'a log whose move was given up',
    logWith(
      { type: 'LogClosed', data: { to: 'db-1:2113' } },
      { type: 'LogReopened', data: { reason: 'taken back by --reopen' } },
    ),
    'is not in the log',
  ],
])('says why a follower of %s does not start (R17.14)', async (_, log, reason) => {
  const verified = guardCheckpoints({ logger }).verify('one', log, { position: 3n, event });
  await expect(verified).rejects.toThrow(reason);
});
