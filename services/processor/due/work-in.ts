import { decodeLateEvent, lateStream } from '#shared/domain/late/events.ts';
import { isLateMoney } from '#shared/domain/late/suspense.ts';
import { decodeLedgerEvent } from '#shared/domain/ledger/events.ts';
import { keyOfEntry } from '#shared/domain/ledger/reference.ts';
import { decodeOperationEvent, operationStream } from '#shared/domain/operation/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { nextDueAt, type Rhythms, type Timings } from './timings.ts';
import { parseStreamName } from './streams.ts';

/** What decides when an event makes its stream due. */
export type WorkSchedule = { timings: Timings; rhythms: Rhythms };

/** What one event of the log changes about due work. */
export type Work =
  /** Its stream has a new event. `dueMs`: when it is due because of that; if absent, as planned. */
  | {
      kind: 'moved';
      stream: string;
      dueMs?: number;
      lastActivityMs: number;
      revision: number;
      /** The provider of the attempt that the event starts. */
      provider?: string;
    }
  /** Due work of a stream is done. */
  | { kind: 'done'; stream: string; done: string };

/**
 * What an event changes about due work, if anything. `provider`: of the newest attempt, where it is
 * known.
 */
export function workIn(
  event: StoredEvent,
  plan: WorkSchedule,
  provider?: string,
): Work | undefined {
  const { stream, created, revision } = event;
  const { kind } = parseStreamName(stream);
  if (kind === 'ledger') return markOfEntry(event);
  const { dueMs, provider: next } =
    kind === 'late' ? { dueMs: dueOfLate(event) } : dueOfOperation(event, plan, provider);
  return {
    kind: 'moved',
    stream,
    ...(dueMs !== undefined && { dueMs }),
    lastActivityMs: created.getTime(),
    revision,
    ...(next !== undefined && { provider: next }),
  };
}

type Due = { dueMs?: number | undefined; provider?: string };

/**
 * An event that this version can't read delays only its own stream, whose work then fails with an
 * error.
 */
function dueOfOperation(
  stored: StoredEvent,
  { timings: { graceMs }, rhythms }: WorkSchedule,
  provider: string | undefined,
): Due {
  const createdMs = stored.created.getTime();
  try {
    const event = decodeOperationEvent(stored);
    const dueMs = nextDueAt(event, createdMs, { graceMs, rhythm: rhythms.of(provider) });
    return {
      dueMs,
      ...(event.type === 'AttemptStarted' && { provider: event.data.route.provider }),
    };
  } catch {
    return { dueMs: createdMs };
  }
}

/**
 * Late money must be posted to the suspense account; a contradicting status only waits for an
 * operator.
 */
function dueOfLate(event: StoredEvent): number | undefined {
  const createdMs = event.created.getTime();
  try {
    return isLateMoney(decodeLateEvent(event)) ? createdMs : undefined;
  } catch {
    return createdMs;
  }
}

/**
 * The stream whose entry this is. An entry that can't be read is ignored: whether it is posted is
 * checked later.
 */
function markOfEntry(event: StoredEvent): Work | undefined {
  try {
    const entry = decodeLedgerEvent(event).data;
    if (entry.kind === 'adjustment' || entry.kind === 'reserve' || entry.kind === 'resolution')
      return undefined;
    const streamOf = entry.kind === 'suspense' ? lateStream : operationStream;
    return { kind: 'done', stream: streamOf(entry.operation_id), done: keyOfEntry(entry) };
  } catch {
    return undefined;
  }
}
