import type { ClientBase } from 'pg';

/**
 * Ends a connection on which a query has had no answer for `timeoutMs`. PostgreSQL ends statements
 * that take too long by itself; a server that hangs, or a network that drops what is sent, sends no
 * end, and a query would wait for ever. The query is rejected as with any connection that breaks,
 * and the pool makes another one.
 */
export function endWhenSilent(client: ClientBase, timeoutMs: number): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const { stream } = (
    client as unknown as { connection: { stream: { destroy(error: Error): void } } }
  ).connection;
  const watched = (...args: unknown[]) => {
    const result = query(...args);
    // Not of what is read piece by piece, which has deadlines of its own.
    if (!(result instanceof Promise)) return result;
    const timer = setTimeout(
      () => stream.destroy(new Error(`PostgreSQL did not answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    return result.finally(() => clearTimeout(timer));
  };
  Object.assign(client, { query: watched });
}
