import type { Kysely } from 'kysely';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import type { Directory } from '#shared/application/directory/directory.ts';
import { createLedgers } from '#shared/application/ledger/ledgers.ts';
import { createMemberList } from '#shared/application/members/members.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { testCredentialKeys } from '#shared/application/providers/accounts/testing/credential-keys.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { createRefusedCredentials } from '#shared/platform/http/refused-credentials.ts';
import { createAdminAccessLog } from '../api/access-log.ts';
import type { AdminDependencies } from '../api/dependencies.ts';
import { createTokenRegistry } from '../api/tokens/registry.ts';

/** The dependencies of authentication and access, as outside production, without logs. */
export const testAccessDependencies = (): Pick<
  AdminDependencies,
  | 'refused'
  | 'accounts'
  | 'credentialKeys'
  | 'accessLog'
  | 'production'
  | 'trustedProxies'
  | 'members'
  | 'portalUrl'
  | 'statementsAfterMs'
> => ({
  refused: createRefusedCredentials({
    what: 'an admin token',
    logger,
    trustedProxies: 0,
  }),
  accounts: { use: async () => ({ outcome: 'absent' }), list: async () => [] },
  credentialKeys: testCredentialKeys,
  accessLog: createAdminAccessLog({ write: () => undefined }),
  production: false,
  trustedProxies: 0,
  members: createMemberList({ read: async () => [] } as unknown as EventStore),
  portalUrl: 'http://portal.test',
  // The newest day is missing as soon as it is over, at whatever hour the tests run.
  statementsAfterMs: 0,
});

export const unavailable = () => Promise.reject(new Error('the store is unavailable'));

/** The dependencies of a service whose event store is unavailable: it calls `request` instead. */
export function unavailableDependencies(
  { db, fixedTokens }: Pick<AdminDependencies, 'db' | 'fixedTokens'>,
  request: () => Promise<never> = unavailable,
): AdminDependencies {
  const store = { read: request, append: request } as unknown as EventStore;
  return {
    store,
    personal: testPersonalData(store),
    directory: { shopIdOfKey: request, providers: request } as unknown as Directory,
    ledgers: createLedgers({ store: { read: unavailable, append: unavailable } }),
    db,
    matching: db,
    exports: {
      db: db as Kysely<unknown>,
      start: unavailable,
      startText: unavailable,
      progressOf: () => undefined,
    },
    receipts: { get: unavailable, list: unavailable },
    logger,
    registry: createTokenRegistry({ read: request }),
    fixedTokens,
    providers: ['sandbox'],
    connectors: new Map(),
    allowPrivate: false,
    ...testAccessDependencies(),
  };
}
