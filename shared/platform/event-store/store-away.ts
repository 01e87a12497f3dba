/** The store, or the way to it, gave no answer: nothing is known but that. */
export class StoreAway extends Error {
  override readonly name = 'StoreAway';
}

const [deadlineExceeded, internal, unavailable] = [4, 13, 14];

/** Whether a failure says that the store was not there, and nothing of the request. */
export function isStoreAway(error: unknown): boolean {
  if (error instanceof StoreAway) return true;
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  if (code === unavailable || code === deadlineExceeded) return true;
  // A server that stops resets its calls; a cluster without any answering node is not found.
  return code === internal
    ? /RST_STREAM/.test(error.message)
    : error.message.startsWith('Failed to discover');
}

const aborted = 10;

/**
 * 23.10 ends a live subscriber that more than 32 events wait for; it may come back at once, from
 * where it was.
 */
export const isTooSlow = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === aborted &&
  error.message.includes('Consumer too slow');
