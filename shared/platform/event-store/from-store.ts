import { Problem } from '#shared/platform/http/problems.ts';

/** Errors that only a bug throws here: they are answered as one, and logged. */
const bugs = [TypeError, RangeError, ReferenceError];

/**
 * The result of a read of the log.
 * @throws Problem not_ready while it can't be read; a bug unchanged
 */
export async function fromStore<T>(read: Promise<T>): Promise<T> {
  return read.catch((cause: unknown) => {
    if (cause instanceof Problem || bugs.some((bug) => cause instanceof bug)) throw cause;
    throw new Problem('not_ready', { detail: 'the event store is unavailable', cause });
  });
}
