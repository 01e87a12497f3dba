import { decodeLateEvent, lateStream } from '#shared/domain/late/events.ts';
import { decodeLedgerEvent } from '#shared/domain/ledger/events.ts';
import { keyOfEntry } from '#shared/domain/ledger/reference.ts';
import { decodeOperationEvent, operationStream } from '#shared/domain/operation/events.ts';
import type { LogItem, StoredEvent } from '#shared/event-store/index.ts';
import { nextLookAt, type Timings } from './next-look.ts';
import { partsOf } from './streams.ts';

/** The last look that the events of a stream ask for; none: as planned before. */
export type Row = { stream: string; due_at: string | null; heard_at: string; revision: number };

/** What stands by now of all that a stream owed. */
export type Mark = { stream: string; done: string[] };

/** The evidence for an operation's money is kept. */
export const evidenceDone = 'evidence';

/** What a batch of the log says of due work: one row and one mark at most for each stream that it is about. */
export function workIn(batch: readonly LogItem[], timings: Timings): { rows: Row[]; marks: Mark[] } {
  const rows = new Map<string, Row>();
  const marks = new Map<string, string[]>();
  for (const item of batch) {
    if (item.kind !== 'event') continue;
    const { event } = item;
    const { stream, created, revision } = event;
    const { kind, id } = partsOf(stream);
    if (kind === 'operation' || kind === 'late') {
      const at = kind === 'late' ? lookAtLate(event) : lookAtOperation(event, timings);
      rows.set(stream, {
        stream,
        due_at: at === undefined ? (rows.get(stream)?.due_at ?? null) : new Date(at).toISOString(),
        heard_at: created.toISOString(),
        revision,
      });
      continue;
    }
    const mark = kind === 'ledger' ? markOfEntry(event) : evidenceOf(id);
    if (mark) marks.set(mark.stream, [...(marks.get(mark.stream) ?? []), mark.done]);
  }
  return { rows: [...rows.values()], marks: [...marks].map(([stream, done]) => ({ stream, done })) };
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

const evidenceOf = (operationId: string) => ({ stream: operationStream(operationId), done: evidenceDone });

/** Whose owed entry stands, and by which key; an entry that can't be read marks nothing, and is looked for again. */
function markOfEntry(event: StoredEvent): { stream: string; done: string } | undefined {
  try {
    const entry = decodeLedgerEvent(event).data;
    if (entry.kind === 'adjustment' || entry.kind === 'reserve' || entry.kind === 'resolution')
      return undefined;
    const streamOf = entry.kind === 'suspense' ? lateStream : operationStream;
    return { stream: streamOf(entry.operation_id), done: keyOfEntry(entry) };
  } catch {
    return undefined;
  }
}
