import { createMemberList } from '#shared/application/members/members.ts';
import { testCredentialKeys } from '#shared/application/providers/accounts/testing/credential-keys.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { createRefusedCredentials } from '#shared/platform/http/refused-credentials.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { createAccessLog } from '../api/access-log.ts';
import type { Dependencies } from '../api/dependencies.ts';

/** The dependencies of authentication and access, as outside production, without logs. */
export const testAccessDependencies = (): Pick<
  Dependencies,
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
    logger: createLogger('test', 'silent'),
    trustedProxies: 0,
  }),
  accounts: { use: async () => ({ outcome: 'absent' }), list: async () => [] },
  credentialKeys: testCredentialKeys,
  accessLog: createAccessLog({ write: () => undefined }),
  production: false,
  trustedProxies: 0,
  members: createMemberList({ read: async () => [] } as unknown as EventStore),
  portalUrl: 'http://portal.test',
  // The newest day counts as missing once it is over, at any hour of a test.
  statementsAfterMs: 0,
});
