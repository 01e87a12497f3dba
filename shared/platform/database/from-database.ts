import { Problem } from '#shared/platform/http/problems.ts';

/** A connection that failed, a server that goes, and tables that their owner has not made yet. */
const outages = /^(08|53|57|3F000|42P01)/;

/**
 * The answer of the database. @throws Problem not_ready while it can't be had; whatever else goes
 * wrong as it is
 */
export async function fromDatabase<T>(query: Promise<T>): Promise<T> {
  return query.catch((error: unknown) => {
    const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
    const bug = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !outages.test(code);
    if (bug) throw error;
    throw new Problem('not_ready', { detail: 'the database does not answer', cause: error });
  });
}
