import type { Directory } from '#shared/application/directory/directory.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import type { RateLimit } from '#shared/platform/http/token-buckets.ts';
import { createAdminApi } from '../app.ts';
import type { AdminDatabase } from '../api/database.ts';
import type { AdminDependencies } from '../api/dependencies.ts';
import { unavailable, unavailableDependencies } from './edge.ts';

/** The admin API without reachable stores, for decisions that need none. */
export function unreachableAdmin(
  fixedTokens: AdminDependencies['fixedTokens'],
  directory: Partial<Directory> = {},
  anonymousLimit?: RateLimit,
): ReturnType<typeof createAdminApi> {
  // A pool connects on first use.
  const db = connectDatabase<AdminDatabase>('postgres://127.0.0.1:1/nowhere', {
    applicationName: 'test',
  });
  const dependencies = {
    ...unavailableDependencies({ db, fixedTokens }),
    directory: {
      shopIdOfKey: unavailable,
      providers: unavailable,
      ...directory,
    } as unknown as Directory,
    metrics: createMetrics('admin'),
  };
  return createAdminApi(dependencies, anonymousLimit);
}
