import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '#infra/verify/harness/database.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { migrateWebhooks } from '#shared/application/webhooks/database/migrations.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { ping } from '../../queries.ts';
import { createAttemptWriter } from './attempt-writer.ts';
import { claim } from './claims.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

it('an attempt that PostgreSQL refuses does not keep others from being written', async () => {
  const db = connectDatabase<WebhooksDatabase>(database.url, { applicationName: 'test' });
  try {
    await migrateWebhooks(db);
    const shopId = 'shop';
    for (let count = 0; count < 3; count += 1) await ping(db, { shopId });
    const token = '0b9e6a2c-5d3f-4f0e-9a54-1f1f6c0a7d11';
    const claimed = await claim(db, [{ shopId, limit: 10 }], token);
    const writer = createAttemptWriter({
      db,
      retry: { scheduleMs: [0], random: () => 0 },
      logger: createLogger('test', 'silent'),
      signal: new AbortController().signal,
    });
    const written = await Promise.all(
      claimed.map((each, at) =>
        writer.write({
          claim: { claimed: each },
          messageId: each.messageId,
          operationId: null,
          outcome: { kind: 'delivered' },
          facts: {
            startedAt: new Date(),
            durationMs: 1,
            url: 'https://merchant.example/',
            statusCode: 200,
            answer: at === 1 ? 'a\0b' : 'ab',
            error: null,
          },
        }),
      ),
    );
    expect(written.map((each) => each?.next.status)).toEqual(['delivered', undefined, 'delivered']);
  } finally {
    await db.destroy();
  }
});
