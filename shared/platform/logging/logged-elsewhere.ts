const marked = new WeakSet<object>();
/** Errors that are the cause of one another; no chain of ours is as long. */
const longestChain = 8;

/**
 * Loggers then skip this error and what it caused: the outage is logged once, instead of a line per
 * caller.
 */
export function markLoggedElsewhere(error: unknown): void {
  if (typeof error === 'object' && error !== null) marked.add(error);
}

export function isLoggedElsewhere(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < longestChain; depth += 1) {
    if (typeof cause !== 'object' || cause === null) return false;
    if (marked.has(cause)) return true;
    cause = 'cause' in cause ? cause.cause : undefined;
  }
  return false;
}
