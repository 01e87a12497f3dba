import { sql } from 'kysely';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { startTcpProxy } from '#infra/verify/harness/tcp-proxy.ts';
import { connectDatabase } from './connect.ts';

/** Only while something is waited for does the time of the connections pass. */
async function waitedFor<T>(work: Promise<T>): Promise<T> {
  const passing = setInterval(() => vi.advanceTimersByTime(100), 20);
  return work.finally(() => clearInterval(passing));
}

it('a query that a hanging PostgreSQL does not answer ends in time, and the next finds it well again', async () => {
  const server = new URL(inject('databaseUrl'));
  const proxy = await startTcpProxy({ host: server.hostname, port: Number(server.port) });
  const behind = new URL(server);
  behind.hostname = '127.0.0.1';
  behind.port = String(proxy.port);
  const db = connectDatabase<unknown>(behind.href, {
    applicationName: 'silence-test',
    maxConnections: 1,
    silenceMs: 1_000,
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const ask = async () => (await sql<{ one: number }>`select 1 as one`.execute(db)).rows;
  try {
    expect(await ask()).toEqual([{ one: 1 }]);
    // One that takes its time is not a silent one.
    await sql`select pg_sleep(0.1)`.execute(db);
    proxy.stall();
    await expect(waitedFor(ask())).rejects.toThrow('PostgreSQL did not answer within 1000 ms');
    // In a transaction too: what undoes it meets the end of the connection.
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
    await expect(waitedFor(interrupted)).rejects.toThrow(/./);
    proxy.resume();
    expect(await ask()).toEqual([{ one: 1 }]);
  } finally {
    vi.useRealTimers();
    await db.destroy();
    await proxy.close();
  }
});
