const marked = new WeakSet<object>();
/** The longest chain of causes that is searched; none of ours is as long. */
const longestChain = 8;

/**
 * Loggers skip this error and errors caused by it: an outage is logged once, instead of once by
 * each caller.
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
