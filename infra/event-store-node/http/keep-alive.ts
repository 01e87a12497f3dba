import type { ServerHttp2Session } from 'node:http2';

/** How often a connection is pinged, and how long the answer may take. */
export type KeepAlive = { readonly intervalMs: number; readonly timeoutMs: number };

/** The real server's values. */
export const DEFAULT_KEEP_ALIVE: KeepAlive = { intervalMs: 10_000, timeoutMs: 10_000 };

/**
 * Closes a connection whose client has disappeared without closing it, because its machine or
 * network failed. Without pings a lost subscriber would never be noticed while there is nothing to
 * send.
 */
export function keepAlive(session: ServerHttp2Session, { intervalMs, timeoutMs }: KeepAlive): void {
  let timer = setTimeout(ping, intervalMs);

  function ping(): void {
    // It may be destroyed shortly before its close event; a ping would throw.
    if (session.destroyed) return;
    let answered = false;
    // After a pause of this process its timers run before it has read the answers that arrived
    // meanwhile.
    timer = setTimeout(() => setImmediate(() => answered || session.destroy()), timeoutMs);
    session.ping((error: Error | null) => {
      answered = true;
      clearTimeout(timer);
      if (error === null && !session.destroyed) timer = setTimeout(ping, intervalMs);
    });
  }

  session.once('close', () => clearTimeout(timer));
}
