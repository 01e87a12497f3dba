import { Problem } from '#shared/platform/http/problems.ts';

/** A failed connection, a server that shuts down, or one that only reads, as before a promotion. */
const outages = /^(08|53|57|25006)/;
/** A schema, a table or a column that its owner has not made yet. */
const missing = /^(3F000|42P01|42703)/;

/** Whether the database does not answer, rather than refuses. */
export const isDatabaseOutage = (error: unknown): boolean => outages.test(sqlState(error));

/** An error without a state is one of the connection. */
function sqlState(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(code) ? code : '08000';
}

/**
 * The result of a query.
 * @throws Problem not_ready while the database does not answer; any other error unchanged
 */
export async function fromDatabase<T>(query: Promise<T>): Promise<T> {
  return query.catch((error: unknown) => {
    if (error instanceof Problem) throw error;
    if (missing.test(sqlState(error)))
      throw new Problem('not_ready', { detail: 'the tables do not exist yet', cause: error });
    if (!isDatabaseOutage(error)) throw error;
    throw new Problem('not_ready', { detail: 'the database is unavailable', cause: error });
  });
}
