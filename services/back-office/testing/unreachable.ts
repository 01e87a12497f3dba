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
import { testAccessDependencies } from './edge.ts';

const unavailable = () => Promise.reject(new Error('the store is unavailable'));

/** The admin API while no store responds: for decisions that need none. */
export function unreachableAdmin(
  fixedTokens: Dependencies['fixedTokens'],
  directory: Partial<Directory> = {},
  anonymousLimit?: RateLimit,
): ReturnType<typeof createAdminApi> {
  // A pool connects on first use.
  const db = connectDatabase<AdminDatabase>('postgres://127.0.0.1:1/nowhere', {
    applicationName: 'test',
  });
  return createAdminApi(
    {
      store: { read: unavailable } as unknown as EventStore,
      personal: testPersonalData({ read: unavailable } as unknown as EventStore),
      directory: {
        shopIdOfKey: unavailable,
        providers: unavailable,
        ...directory,
      } as unknown as Directory,
      ledgers: createLedgers({ store: { read: unavailable, append: unavailable } }),
      db,
      matching: db,
      exports: { start: unavailable, startText: unavailable, progressOf: () => undefined },
      receipts: { get: unavailable },
      logger: pino({ level: 'silent' }),
      metrics: createMetrics('admin'),
      registry: createTokenRegistry({ read: unavailable }),
      fixedTokens,
      providers: ['sandbox'],
      connectors: new Map(),
      allowPrivate: false,
      ...testAccessDependencies(),
    },
    anonymousLimit,
  );
}
