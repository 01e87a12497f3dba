import type { PostRequest, PostResult } from './types.ts';

/** A waiting command; it gets exactly one answer. */
export type QueuedCommand = {
  request: PostRequest;
  /** On the owner's clock. */
  deadline: number;
  answered: boolean;
  answer(result: PostResult): void;
  fail(error: unknown): void;
};

const defaultDeadlineMs = 10_000;

/**
 * A waiting command and the promise of its answer, which is `undecided` once its deadline has
 * passed.
 */
export function waitFor(
  request: PostRequest,
  now: () => number,
): QueuedCommand & { result: Promise<PostResult> } {
  const { promise, resolve, reject } = Promise.withResolvers<PostResult>();
  const deadlineMs = request.deadlineMs ?? defaultDeadlineMs;
  const settle = (act: () => void) => {
    waiting.answered = true;
    clearTimeout(timer);
    act();
  };
  const waiting = {
    request,
    deadline: now() + deadlineMs,
    answered: false,
    answer: (result: PostResult) => settle(() => resolve(result)),
    fail: (error: unknown) => settle(() => reject(error)),
    result: promise,
  };
  const timer = setTimeout(() => {
    waiting.answer({
      outcome: 'undecided',
      cause: new Error(`no outcome within ${deadlineMs} ms`),
    });
  }, deadlineMs);
  return waiting;
}

/** The limits of one write: in entries, and in bytes (1 MiB, the store's own limit). */
const maxEntries = 256;
const maxBytes = 600_000;
const bytesPerEntry = 1_300;

/** Takes the next batch off the queue. */
export function takeBatch(queue: QueuedCommand[]): QueuedCommand[] {
  let bytes = 0;
  let count = 0;
  for (const waiting of queue) {
    bytes += bytesPerEntry + bytesOfText(waiting.request);
    if (count > 0 && (count === maxEntries || bytes > maxBytes)) break;
    count += 1;
  }
  return queue.splice(0, count);
}

/** An upper bound for texts of arbitrary length: an escaped UTF-16 unit takes six bytes. */
function bytesOfText(request: PostRequest): number {
  if (request.kind === 'adjustment')
    return 6 * (request.adjustmentId.length + request.reason.length);
  if (request.kind !== 'suspense' && request.kind !== 'resolution') return 0;
  const { legId, ofLegId = '' } = request;
  return (
    6 * (legId.length + ofLegId.length + (request.kind === 'resolution' ? request.note.length : 0))
  );
}
