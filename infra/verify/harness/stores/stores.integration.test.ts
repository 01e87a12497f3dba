import { connect, StringCodec } from 'nats';
import { Client } from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { databaseForFile } from '#infra/verify/harness/stores/database.ts';
import { natsConnectionOptions } from '#shared/platform/nats/connection-options.ts';

describe('the stores for tests', () => {
  const database = databaseForFile();

  it('include a durable PostgreSQL with code-point order and an empty database', async () => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      const setting = async (name: string) => (await client.query(`show ${name}`)).rows[0]?.[name];
      expect(await setting('fsync')).toBe('on');
      expect(await setting('synchronous_commit')).toBe('on');
      expect(await setting('server_encoding')).toBe('UTF8');
      const { rows } = await client.query(`select upper('ж') as upper, 'Z' < 'a' as by_code_point`);
      expect(rows).toEqual([{ upper: 'Ж', by_code_point: true }]);
      const tables = await client.query(
        `select 1 from information_schema.tables where table_schema = 'public'`,
      );
      expect(tables.rowCount).toBe(0);
    } finally {
      await client.end();
    }
  });

  it('include a NATS server with JetStream and authentication', async () => {
    const natsUrl = inject('natsUrl');
    const connection = await connect(natsConnectionOptions(natsUrl));
    try {
      const manager = await connection.jetstreamManager();
      await manager.streams.add({ name: 'stores_test', subjects: ['stores_test.>'] });
      await connection.jetstream().publish('stores_test.a', StringCodec().encode('kept'));
      const message = await manager.streams.getMessage('stores_test', { seq: 1 });
      expect(message.string()).toBe('kept');
      await manager.streams.delete('stores_test');
    } finally {
      await connection.close();
    }
    const { servers } = natsConnectionOptions(natsUrl);
    await expect(
      connect({ ...(servers === undefined ? {} : { servers }), maxReconnectAttempts: 0 }),
    ).rejects.toThrow(/authorization/i);
  });
});
