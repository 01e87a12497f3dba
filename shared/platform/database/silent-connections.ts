import type { ClientBase } from 'pg';

/**
 * Ends a connection whose query has had no answer for `timeoutMs`. PostgreSQL ends slow statements
 * by itself, but a server that hangs or a network that drops packets sends nothing, and the query
 * would wait for ever. The query fails as with any broken connection, and the pool opens another.
 */
export function endWhenSilent(client: ClientBase, timeoutMs: number): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const { stream } = (
    client as unknown as { connection: { stream: { destroy(error: Error): void } } }
  ).connection;
  const watched = (...args: unknown[]) => {
    const result = query(...args);
    // Cursors have deadlines of their own.
    if (!(result instanceof Promise)) return result;
    const timer = setTimeout(
      () => stream.destroy(new Error(`PostgreSQL did not answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    return result.finally(() => clearTimeout(timer));
  };
  Object.assign(client, { query: watched });
}
