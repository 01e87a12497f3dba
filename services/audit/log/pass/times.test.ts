import { expect, it } from 'vitest';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { restoreTime, withTime } from '#shared/platform/event-store/reading/recorded-before.ts';
import { newId } from '#shared/platform/ids.ts';
import { auditLog } from '../../testing/audit-log.ts';
import {
  after,
  all,
  by,
  tokenFor,
  tokenRevoked,
  twoDaysLater,
} from '../../testing/corruptions/changes.ts';
import { writeLog } from '../../testing/corruptions/index.ts';
import { movedFrom } from '../../testing/figures.ts';

const ticksOf = (time: string) => `${Date.parse(time)}0000`;
const storeTicks = ticksOf('2026-02-10T12:00:00.000Z');

/** Lets the event name this time, as an EventStoreDB gives it to a reader. */
function nameTime(event: RawEvent, createdTicks: string): void {
  Object.assign(event, {
    metadata: withTime({ ...event, createdTicks }),
    createdTicks: event.createdTicks,
  });
  restoreTime(event);
}

/** The log in an EventStoreDB that it was moved to. */
function moveLog(log: RawEvent[]): void {
  for (const event of log) {
    const { createdTicks } = event;
    event.createdTicks = storeTicks;
    nameTime(event, createdTicks);
  }
  const last = log.at(-1);
  if (!last) throw new Error('the log is empty');
  const { storeTicks: _, ...original } = last;
  const moved = movedFrom(log);
  log.push({
    ...original,
    position: last.position + 100,
    stream: 'log',
    revision: 0,
    id: newId(),
    type: 'LogMoved',
    createdTicks: storeTicks,
    data: Buffer.from(JSON.stringify(moved)),
    metadata: Buffer.from(
      JSON.stringify({ correlation_id: 'c', actor: 'service:move', schema_version: 1 }),
    ),
  });
}

const rulesOf = async (log: readonly RawEvent[]) => {
  const { findings } = await auditLog(log);
  return [...new Set(findings.map(({ rule }) => rule))];
};

it('accepts the times that a moved log has from the first one', async () => {
  const log = writeLog();
  moveLog(log);
  expect(await rulesOf(log)).toEqual([]);
});

/** An adjustment by a token that was revoked two days before, which names a time before that. */
function adjustByRevokedToken(): RawEvent[] {
  const log = writeLog(
    all(
      after('token', tokenFor('anna', 'admin'), tokenRevoked('t2')),
      by('adjustment', { actor: 'operator:anna', tokenId: 't2' }),
    ),
  );
  const adjustment = log.find(({ type }) => type === 'AdjustmentRequested');
  if (!adjustment) throw new Error('no adjustment');
  const named = adjustment.createdTicks;
  adjustment.createdTicks = `${twoDaysLater.atMs}0000`;
  nameTime(adjustment, named);
  return log;
}

it('judges an event that names its time by the time of the store', async () => {
  expect(await rulesOf(adjustByRevokedToken())).toEqual(
    expect.arrayContaining(['log.time', 'authority.role']),
  );
});

it('believes no time that an event names after the move', async () => {
  const log = writeLog();
  moveLog(log);
  const late = log.findLast(({ type }) => type === 'AuditRan');
  const moved = log.at(-1);
  if (!late || !moved) throw new Error('no event');
  // Appended to the new store, with the time of the copies.
  log.push({ ...late, position: moved.position + 100, revision: late.revision + 1, id: newId() });
  expect(await rulesOf(log)).toEqual(['log.time']);
});
