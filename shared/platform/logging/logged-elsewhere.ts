const told = new WeakSet<object>();
/** Errors that are the cause of one another; no chain of ours is as long. */
const longestChain = 8;

/** From now on loggers leave this error, or what it caused, to whoever tells of the whole: a line each would bury that. */
export function markLoggedElsewhere(error: unknown): void {
  if (typeof error === 'object' && error !== null) told.add(error);
}

export function isLoggedElsewhere(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < longestChain; depth += 1) {
    if (typeof cause !== 'object' || cause === null) return false;
    if (told.has(cause)) return true;
    cause = 'cause' in cause ? cause.cause : undefined;
  }
  return false;
}
