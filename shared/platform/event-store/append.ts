import { backoffMs } from '../backoff.ts';
import {
  AccessDeniedError,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { setTimeout as delay } from 'node:timers/promises';
import { LogIsClosed } from './log-gate.ts';
import { StoreUnavailable } from './store-unavailable.ts';
import type { AppendOutcome, AppendRequest, ReadRequest, StoredEvent } from './types.ts';

type RawAppend = (request: AppendRequest) => Promise<{ revision: number; position: bigint }>;
export type AppendPorts = {
  append: RawAppend;
  read(stream: string, request: ReadRequest): Promise<StoredEvent[]>;
};

/** What it took to establish an outcome. */
export type AppendEffort = {
  /** How often it was sent. */
  sends: number;
  /** The store's reply did not show the outcome. */
  inDoubt: boolean;
};

/**
 * The longest wait for one try: the store gives up a write after 2 s, and a lost reply never comes.
 */
const tryTimeoutMs = 3_000;
/** The longest deadline of an append. */
const longestAppendMs = 10_000;
/** Refusals that no retry can change: they are bugs or a wrong set-up, not outcomes. */
const permanentErrors = [MaxAppendSizeExceededError, StreamDeletedError, AccessDeniedError];
const pausesMs = [20, 50, 100, 200, 400, 800];
const resends = { firstMs: 50, longestMs: 800 };

/**
 * Appends at the exact revision, and determines the outcome.
 *
 * Any answer but a success or a wrong expected version (a lost connection, a timeout, a full queue)
 * says nothing about the events: they may be stored now, later, or never. So the stream is read at
 * the revision of the append. Our event id there is success, another id is a conflict. If nothing
 * is there yet, the same append may be sent again, because the store recognises its event ids. No
 * decision is made again here.
 * @param effort called with the number of tries
 * @throws if the store will never take it: too large, a deleted stream, no access
 */
export async function appendWithKnownOutcome(
  ports: AppendPorts,
  request: AppendRequest,
  effort: AppendEffort = { sends: 0, inDoubt: false },
): Promise<AppendOutcome> {
  if (request.events.length === 0) throw new Error('an append needs at least one event');
  const deadline = performance.now() + (request.deadlineMs ?? longestAppendMs);
  let cause: unknown;
  for (let round = 0; round === 0 || performance.now() < deadline; round += 1) {
    const timeoutMs = Math.min(tryTimeoutMs, Math.max(1, deadline - performance.now()));
    effort.sends += 1;
    const sent = await within(timeoutMs, ports.append(request)).then(
      ({ revision, position }): AppendOutcome => ({ outcome: 'appended', revision, position }),
      (error: unknown) => error,
    );
    if (isOutcome(sent)) return sent;
    cause = sent;
    // The gate has refused it, so nothing was sent.
    if (cause instanceof LogIsClosed && round === 0) return { outcome: 'unknown', cause };
    if (permanentErrors.some((refusal) => cause instanceof refusal)) throw cause;
    // If the reply to an earlier try was lost, our own events may be the cause of a wrong expected
    // version.
    if (cause instanceof WrongExpectedVersionError && round === 0) return conflict(cause);
    effort.inDoubt = true;
    for (const pauseMs of pausesMs) {
      const leftMs = Math.max(1, deadline - performance.now());
      const stored = await within(leftMs, findOwnEvents(ports, request)).catch(
        (error: unknown) => ({
          error,
        }),
      );
      if (stored && !('error' in stored)) return stored;
      // Not there yet: the append may still be in flight, so the stream is read once more before it
      // is sent again.
      if (performance.now() + pauseMs >= deadline) return { outcome: 'unknown', cause };
      await delay(pauseMs);
      // Backoff: a store that refuses at once, for example because its disk is full, gets fewer and
      // fewer tries.
      if (!stored && pauseMs >= backoffMs(round, resends)) break;
    }
  }
  return { outcome: 'unknown', cause };
}

async function findOwnEvents(
  ports: AppendPorts,
  request: AppendRequest,
): Promise<AppendOutcome | undefined> {
  const from = request.expectedRevision + 1;
  const there = await ports.read(request.stream, {
    fromRevision: from,
    maxCount: request.events.length,
  });
  const first = there[0];
  if (!first) return undefined;
  if (first.id !== request.events[0]?.id)
    return { outcome: 'conflict', actualRevision: there.at(-1)?.revision ?? from };
  const last = there.at(-1) ?? first;
  return { outcome: 'appended', revision: last.revision, position: last.position };
}

function conflict(error: WrongExpectedVersionError): AppendOutcome {
  const actual: unknown = error.actualVersion;
  return { outcome: 'conflict', actualRevision: typeof actual === 'bigint' ? Number(actual) : -1 };
}

function isOutcome(value: unknown): value is AppendOutcome {
  return typeof value === 'object' && value !== null && 'outcome' in value;
}

async function within<T>(timeoutMs: number, promise: Promise<T>): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new StoreUnavailable(`no reply from the event store within ${timeoutMs} ms`)),
    timeoutMs,
  );
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
