import { decodeLateEvent, lateStream } from '#shared/domain/late/events.ts';
import { isLateMoney, toSuspense } from '#shared/domain/late/suspense.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import {
  entryKey,
  postEntries,
  type EntryToPost,
} from '#shared/application/operations/post-entries.ts';
import { readOperation } from '#shared/application/operations/streams.ts';
import type { DueRow, WorkResult } from '../due/due-queue.ts';
import { retryAfter } from '../due/timings.ts';
import type { WorkOptions } from './work-on-operation.ts';

/**
 * Posts money that came after an operation's end to the suspense account, once for each leg
 * (R13.8).
 * @throws when the log can't be read
 */
export async function workOnLate(
  options: WorkOptions,
  operationId: string,
  claim: DueRow,
): Promise<WorkResult> {
  const { store, ledgers, timings, now, random } = options;
  const [events, operation] = await Promise.all([
    store.read(lateStream(operationId)),
    readOperation(store, operationId),
  ]);
  const last = events.at(-1);
  if (!last || !operation) throw new Error('a late stream is empty, or its operation is missing');
  const done = new Set(claim.done);
  const due = events
    .flatMap((event) => suspenseFor(operation, event))
    .filter(({ key }) => !done.has(key));
  const { revision } = last;
  if (due.length === 0) return { revision };
  const { posted, result } = await postEntries(ledgers, due, claim.tries);
  options.onStep('post_suspense', result.outcome);
  if (result.outcome === 'done') return { revision };
  const failure = `post_suspense: ${result.reason}`;
  return {
    revision,
    failure,
    next: {
      dueMs: now() + retryAfter(claim.tries, timings, random()),
      lastActivityMs: claim.lastActivityMs,
      pollsWithoutChange: claim.pollsWithoutChange,
      tries: claim.tries + 1,
      done: [...done, ...posted],
      error: failure,
    },
  };
}

/** The entry of late money, in the currency of the request: it is not converted. */
function suspenseFor({ type, operationId }: Operation, event: StoredEvent): EntryToPost[] {
  const lateFact = decodeLateEvent(event);
  if (!isLateMoney(lateFact)) return [];
  const { shop_id: shopId, currency, provider } = lateFact.data;
  const money = toSuspense(lateFact, type);
  const command = {
    kind: 'suspense',
    operationId,
    ...money,
    why: { cause: lateFact.type, provider },
  } as const;
  const origin = {
    actor: 'service:processor',
    correlationId: event.metadata.correlation_id,
    causationId: event.id,
    traceparent: event.metadata.traceparent,
  };
  return [
    {
      key: entryKey(command),
      request: { ...command, shopId, currency, dueSince: event.position, origin },
    },
  ];
}
