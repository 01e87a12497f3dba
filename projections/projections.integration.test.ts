import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { shopSettings } from '#shared/domain/shop/testing/settings.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { sampleHistories } from '#shared/domain/operation/testing/histories.ts';
import { merchantStream, shopStream } from '#shared/domain/shop/events.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { grantToAnalysts } from './runner/analyst-role.ts';
import { append, appendHistories } from './testing/append.ts';
import { expectRowsToEqualFold } from './testing/expect-fold.ts';
import { hasReached, useDb, useOwnEventStore, useProjections } from './testing/stores.ts';
import { listProjections } from './status.ts';

describe('the read models', () => {
  const own = useOwnEventStore();

  it('equal the fold of every stream, and remain live (R17.10)', async () => {
    const { db } = await useDb();
    const first = sampleHistories(200, 1);
    const end = await appendHistories(own.store, first);
    const projections = useProjections({ db, store: own.store });
    await eventually('caught up', () => hasReached(db, end));
    await expectRowsToEqualFold(db, own.store, first);
    await eventually('ready', () => projections.notReady() === undefined);

    const more = sampleHistories(50, 2);
    const newEnd = await appendHistories(own.store, more);
    await eventually('caught up again', () => hasReached(db, newEnd));
    await expectRowsToEqualFold(db, own.store, [...first, ...more]);

    const isCaughtUp = async () =>
      (await listProjections(db, own.store)).every(
        ({ status, lag_events }) => status === 'live' && lag_events === 0,
      );
    await eventually('all are live without lag', isCaughtUp);
    const listed = await listProjections(db, own.store);
    expect(
      listed.map(({ name, status, lag_events, lag_ms }) => ({ name, status, lag_events, lag_ms })),
    ).toEqual(
      ['shops', 'operations', 'ledger', 'suspense', 'operators', 'statements'].map((name) => {
        return { name, status: 'live', lag_events: 0, lag_ms: 0 };
      }),
    );
    expect(BigInt(listed[1]?.position ?? 0)).toBeGreaterThanOrEqual(newEnd);
  });

  it('contain merchants and shops without secrets, joined by a foreign key', async () => {
    const { db } = await useDb();
    await append(own.store, merchantStream('m1'), {
      events: [{ type: 'MerchantCreated', data: { merchant_id: 'm1', name: 'Acme' } }],
    });
    const settings = shopSettings({ overdraft_limits: { RUB: '10.00' } });
    const forPayers = {
      display_name: 'Ромашка',
      return_url: 'https://shop.example/{operation_id}',
    };
    const end = await append(own.store, shopStream('s1'), {
      events: [
        {
          type: 'ShopCreated',
          data: {
            shop_id: 's1',
            merchant_id: 'm1',
            operation_id_secret: 'f00d'.repeat(16),
            settings,
          },
        },
        { type: 'WebhookSecretIssued', data: { secret: 'whsec_c2VjcmV0' } },
        { type: 'WebhookConfigured', data: { url: 'https://shop.example/hook', enabled: true } },
        {
          type: 'ShopChanged',
          data: { settings: { ...settings, ...forPayers, name: 'Renamed\u0000' } },
        },
      ],
    });
    useProjections({ db, store: own.store });
    await eventually('caught up', () => hasReached(db, end, 'shops'));
    const { rows } = await sql<Record<string, unknown>>`
      select s.*, m.name as merchant from gateway.shops s join gateway.merchants m using (merchant_id)`.execute(
      db,
    );
    expect(rows).toMatchObject([
      {
        shop_id: 's1',
        merchant: 'Acme',
        // What PostgreSQL's text can't hold is replaced, not rejected.
        name: 'Renamed\uFFFD',
        overdraft_limits: { RUB: '10.00' },
        ...forPayers,
        support: null,
        webhook_url: 'https://shop.example/hook',
        webhook_enabled: true,
        revision: 3,
      },
    ]);
    expect(JSON.stringify(rows)).not.toMatch(/(?:f00d){2}|whsec/);
    const { rows: keys } = await sql`
      select conname from pg_constraint where contype = 'f' and conrelid = 'gateway.shops'::regclass`.execute(
      db,
    );
    expect(keys).toHaveLength(1);
  });

  it('are created without the analyst role if the database user may not create it', async () => {
    const { db } = await useDb();
    const plain = `plain_${randomUUID()}`;
    const warnings: unknown[] = [];
    const recordingLogger = {
      warn: (_details: unknown, text: string) => warnings.push(text),
    } as unknown as Logger;
    await db.transaction().execute(async (tx) => {
      await sql`create schema tables`.execute(tx);
      await sql`create role ${sql.id(plain)} nologin`.execute(tx);
      await sql`set local role ${sql.id(plain)}`.execute(tx);
      await grantToAnalysts(tx, {
        schema: 'tables',
        logger: recordingLogger,
        role: `${plain}_analyst`,
      });
      await sql`reset role`.execute(tx);
      await sql`drop role ${sql.id(plain)}`.execute(tx);
    });
    expect(warnings).toEqual([expect.stringContaining(`create role ${plain}_analyst nologin`)]);
  });
});
