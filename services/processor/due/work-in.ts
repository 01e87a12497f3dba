import { decodeLateEvent, lateStream } from '#shared/domain/late/events.ts';
import { decodeLedgerEvent } from '#shared/domain/ledger/events.ts';
import { keyOfEntry } from '#shared/domain/ledger/reference.ts';
import { decodeOperationEvent, operationStream } from '#shared/domain/operation/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { nextLookAt, type Rhythms, type Timings } from './next-look.ts';
import { partsOf } from './streams.ts';

/** An operator is told what a payout cost above its terms. */
export const overchargeDone = 'overcharge';
/** The provider has ended the attempt that was heard out. */
export const heardOutDone = (attempt: number): string => `heard_out ${attempt}`;

/** What tells when an event is to be looked at. */
export type LookPlan = { timings: Timings; rhythms: Rhythms };

/** What one event of the log says of due work. */
export type Work =
  /** Its stream moved; `dueMs`: when it is to be looked at because of that, absent: as planned before. */
  | {
      kind: 'look';
      stream: string;
      dueMs?: number;
      heardMs: number;
      revision: number;
      /** That of the attempt which it starts. */
      provider?: string;
    }
  /** Something that a stream owed stands by now. */
  | { kind: 'done'; stream: string; done: string };

/** What an event says of due work; `undefined`: nothing. `provider`: of the newest attempt, where that is known. */
export function workIn(event: StoredEvent, plan: LookPlan, provider?: string): Work | undefined {
  const { stream, created, revision } = event;
  const { kind } = partsOf(stream);
  if (kind === 'ledger') return markOfEntry(event);
  const { dueMs, provider: next } =
    kind === 'late' ? { dueMs: lookAtLate(event) } : lookAtOperation(event, plan, provider);
  return {
    kind: 'look',
    stream,
    ...(dueMs !== undefined && { dueMs }),
    heardMs: created.getTime(),
    revision,
    ...(next !== undefined && { provider: next }),
  };
}

type Look = { dueMs?: number | undefined; provider?: string };

/** An event that this version can't read holds up its own stream, which says so when it is looked at, and no other. */
function lookAtOperation(
  stored: StoredEvent,
  { timings: { graceMs }, rhythms }: LookPlan,
  provider: string | undefined,
): Look {
  const createdMs = stored.created.getTime();
  try {
    const event = decodeOperationEvent(stored);
    const dueMs = nextLookAt(event, createdMs, { graceMs, rhythm: rhythms.of(provider) });
    return { dueMs, ...(event.type === 'AttemptStarted' && { provider: event.data.route.provider }) };
  } catch {
    return { dueMs: createdMs };
  }
}

/** Money after the end belongs on the suspense account; a status that contradicts is for an operator alone. */
function lookAtLate(event: StoredEvent): number | undefined {
  const createdMs = event.created.getTime();
  try {
    const { type } = decodeLateEvent(event);
    return type === 'LateMoneyReceived' || type === 'MoneyReturned' ? createdMs : undefined;
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
