import { decodeLateEvent, lateStream } from '#shared/domain/late/events.ts';
import { decodeLedgerEvent } from '#shared/domain/ledger/events.ts';
import { keyOfEntry } from '#shared/domain/ledger/reference.ts';
import { decodeOperationEvent, operationStream } from '#shared/domain/operation/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { nextLookAt, type Timings } from './next-look.ts';
import { partsOf } from './streams.ts';

/** An operator is told what a payout cost above its terms. */
export const overchargeDone = 'overcharge';
/** The provider has ended the attempt that an operator approved. */
export const heardOutDone = 'heard_out';

/** What one event of the log says of due work. */
export type Work =
  /** Its stream moved; `dueMs`: when it is to be looked at because of that, absent: as planned before. */
  | { kind: 'look'; stream: string; dueMs?: number; heardMs: number; revision: number }
  /** Something that a stream owed stands by now. */
  | { kind: 'done'; stream: string; done: string };

/** What an event says of due work; `undefined`: nothing. */
export function workIn(event: StoredEvent, timings: Timings): Work | undefined {
  const { stream, created, revision } = event;
  const { kind } = partsOf(stream);
  if (kind === 'ledger') return markOfEntry(event);
  const dueMs = kind === 'late' ? lookAtLate(event) : lookAtOperation(event, timings);
  return {
    kind: 'look',
    stream,
    ...(dueMs !== undefined && { dueMs }),
    heardMs: created.getTime(),
    revision,
  };
}

/** An event that this version can't read holds up its own stream, which says so when it is looked at, and no other. */
function lookAtOperation(event: StoredEvent, timings: Timings): number | undefined {
  const createdMs = event.created.getTime();
  try {
    return nextLookAt(decodeOperationEvent(event), createdMs, timings);
  } catch {
    return createdMs;
  }
}

/** Money after the end belongs on the suspense account; a status that contradicts is for an operator alone. */
function lookAtLate(event: StoredEvent): number | undefined {
  const createdMs = event.created.getTime();
  try {
    return decodeLateEvent(event).type === 'LateMoneyReceived' ? createdMs : undefined;
  } catch {
    return createdMs;
  }
}

/** Whose owed entry stands, and by which key; an entry that can't be read marks nothing, and is looked for again. */
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
