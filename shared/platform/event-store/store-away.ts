/** The store or the network gave no answer. Nothing else is known. */
export class StoreAway extends Error {
  override readonly name = 'StoreAway';
}

const [deadlineExceeded, internal, unavailable] = [4, 13, 14];

/**
 * Whether an error means that the store could not be reached, and so says nothing about the
 * request.
 */
export function isStoreAway(error: unknown): boolean {
  if (error instanceof StoreAway) return true;
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  if (code === unavailable || code === deadlineExceeded) return true;
  // A server that stops resets its calls; a cluster in which no node answers is reported as not
  // found.
  return code === internal
    ? /RST_STREAM/.test(error.message)
    : error.message.startsWith('Failed to discover');
}

const aborted = 10;

/**
 * Version 23.10 ends a live subscriber that is more than 32 events behind. It may subscribe again
 * at once, from where it was.
 */
export const isTooSlow = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === aborted &&
  error.message.includes('Consumer too slow');
