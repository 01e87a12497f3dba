import { pino } from 'pino';
import type { Directory } from '#shared/application/directory/directory.ts';
import { createLedgers } from '#shared/application/ledger/ledgers.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import type { RateLimit } from '#shared/platform/http/token-buckets.ts';
import { createAdminApi } from '../app.ts';
import { createTokenRegistry } from '../api/tokens/registry.ts';
import type { AdminDatabase } from '../api/database.ts';
import type { Dependencies } from '../api/dependencies.ts';
import { testEdge } from './edge.ts';

const away = () => Promise.reject(new Error('the store is away'));

/** The admin API while no store answers: for what is decided without one. */
export function unreachableAdmin(
  fixedTokens: Dependencies['fixedTokens'],
  directory: Partial<Directory> = {},
  anonymousLimit?: RateLimit,
): ReturnType<typeof createAdminApi> {
  // A pool connects when it is used.
  const db = connectDatabase<AdminDatabase>('postgres://127.0.0.1:1/nowhere', {
    applicationName: 'test',
  });
  return createAdminApi(
    {
      store: { read: away } as unknown as EventStore,
      personal: testPersonalData({ read: away } as unknown as EventStore),
      directory: { shopIdOfKey: away, providers: away, ...directory } as unknown as Directory,
      ledgers: createLedgers({ store: { read: away, append: away } }),
      db,
      matching: db,
      exports: { start: away, startText: away, progressOf: () => undefined },
      receipts: { get: away },
      logger: pino({ level: 'silent' }),
      metrics: createMetrics('admin'),
      registry: createTokenRegistry({ read: away }),
      fixedTokens,
      providers: ['sandbox'],
      connectors: new Map(),
      allowPrivate: false,
      ...testEdge(),
    },
    anonymousLimit,
  );
}
