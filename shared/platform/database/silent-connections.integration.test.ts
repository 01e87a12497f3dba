import { sql } from 'kysely';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { startTcpProxy } from '#infra/verify/harness/stores/tcp-proxy.ts';
import { connectDatabase } from './connect.ts';

/** Advances the connections' timers until the work settles. */
async function passTimeUntil<T>(work: Promise<T>): Promise<T> {
  const ticker = setInterval(() => vi.advanceTimersByTime(100), 20);
  return work.finally(() => clearInterval(ticker));
}

it('fails a query that a hanging PostgreSQL does not answer, then recovers', async () => {
  const proxy = await startTcpProxy(inject('databaseUrl'));
  const db = connectDatabase<unknown>(proxy.url, {
    applicationName: 'silence-test',
    maxConnections: 1,
    silenceMs: 1_000,
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const query = async () => (await sql<{ one: number }>`select 1 as one`.execute(db)).rows;
  try {
    expect(await query()).toEqual([{ one: 1 }]);
    // A slow query is not treated as hanging.
    await sql`select pg_sleep(0.1)`.execute(db);
    proxy.stall();
    await expect(passTimeUntil(query())).rejects.toThrow(
      'PostgreSQL did not answer within 1000 ms',
    );
    // In a transaction too, whose rollback finds the connection closed.
    proxy.resume();
    await db.transaction().execute(async (tx) => {
      await sql`select 1`.execute(tx);
    });
    const stalled = Promise.withResolvers<void>();
    const interrupted = db.transaction().execute(async (tx) => {
      await sql`select 1`.execute(tx);
      proxy.stall();
      stalled.resolve();
      await sql`select 2`.execute(tx);
    });
    interrupted.catch(() => undefined);
    await stalled.promise;
    await expect(passTimeUntil(interrupted)).rejects.toThrow(/./);
    proxy.resume();
    expect(await query()).toEqual([{ one: 1 }]);
  } finally {
    vi.useRealTimers();
    await db.destroy();
    await proxy.close();
  }
});
