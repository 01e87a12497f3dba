import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { query, useDatabase } from '#infra/verify/harness/stores/database.ts';
import { hasPgBouncer, usePgBouncer } from '#infra/verify/harness/stores/pgbouncer.ts';
import { startTcpProxy } from '#infra/verify/harness/stores/tcp-proxy.ts';
import { checkSessions, refusePooler } from './pooler.ts';

const never = new AbortController().signal;

/** So that PgBouncer does not refuse them: it drops them. */
const dropped = { ignore_startup_parameters: 'statement_timeout,options' };
const byTransaction = { pool_mode: 'transaction', ...dropped };

const inTransactionMode =
  /^The environment can't be used:\n {2}DATABASE_URL: leads to a connection pooler in transaction mode, .* it must lead to PostgreSQL itself$/;

it('accepts PostgreSQL itself, also by a proxy of connections', async () => {
  await expect(refusePooler(await useDatabase(), never)).resolves.toBeUndefined();
  const proxy = await startTcpProxy(inject('databaseUrl'));
  onTestFinished(() => proxy.close());
  await refusePooler(proxy.url, never);
});

it('waits for a PostgreSQL that does not answer yet', async () => {
  const proxy = await startTcpProxy('postgres://postgres@127.0.0.1:1/none');
  onTestFinished(() => proxy.close());
  await expect(checkSessions(proxy.url)).rejects.not.toThrow('DATABASE_URL');
  const database = new URL(await useDatabase());
  proxy.lead(database.href);
  database.port = String(proxy.port);
  await refusePooler(database.href, never);
});

describe.skipIf(!hasPgBouncer)('a pooler', () => {
  it('in session mode is accepted', async () => {
    const url = await usePgBouncer(await useDatabase(), { pool_mode: 'session', ...dropped });
    await expect(refusePooler(url, never)).resolves.toBeUndefined();
  });

  it.each([
    ['that uses the latest connection', {}],
    ['that takes turns', { server_round_robin: 1 }],
    ['with a single connection', { default_pool_size: 1 }],
    ['in statement mode', { pool_mode: 'statement' }],
  ])('in transaction mode is refused: one %s (R19.12)', async (_, settings) => {
    const url = await usePgBouncer(await useDatabase(), { ...byTransaction, ...settings });
    // It has several connections then, unless it may have one only.
    await Promise.all(['a', 'b', 'c'].map(() => query(url, 'select pg_sleep(0.2)')));
    await expect(refusePooler(url, never)).rejects.toThrow(inTransactionMode);
  });

  it('that refuses startup options is refused', async () => {
    const url = await usePgBouncer(await useDatabase(), { pool_mode: 'session' });
    await expect(refusePooler(url, never)).rejects.toThrow(
      /DATABASE_URL: leads to a connection pooler that refuses startup options \(unsupported startup parameter: \w+\)$/,
    );
  });
});
