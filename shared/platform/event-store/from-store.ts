import { Problem } from '#shared/platform/http/problems.ts';

/** The result of a read of the log. @throws Problem not_ready while it can't be read */
export async function fromStore<T>(read: Promise<T>): Promise<T> {
  return read.catch((cause: unknown) => {
    if (cause instanceof Problem) throw cause;
    throw new Problem('not_ready', { detail: 'the event store is unavailable', cause });
  });
}
