import type { ServerHttp2Session } from 'node:http2';

/** How long a connection may be, and a ping go unanswered. */
export type KeepAlive = { readonly intervalMs: number; readonly timeoutMs: number };

/** As the real server has it. */
export const DEFAULT_KEEP_ALIVE: KeepAlive = { intervalMs: 10_000, timeoutMs: 10_000 };

/**
 * Lets go of a connection whose other side has gone without a word, its machine or its network
 * lost: a subscriber that is sent nothing would never be noticed.
 */
export function keepAlive(session: ServerHttp2Session, { intervalMs, timeoutMs }: KeepAlive): void {
  let timer = setTimeout(ping, intervalMs);

  function ping(): void {
    let answered = false;
    // After a pause of this process its timers are due before it has read what came meanwhile.
    timer = setTimeout(() => setImmediate(() => answered || session.destroy()), timeoutMs);
    session.ping((error: Error | null) => {
      answered = true;
      clearTimeout(timer);
      if (error === null && !session.destroyed) timer = setTimeout(ping, intervalMs);
    });
  }

  session.once('close', () => clearTimeout(timer));
}
