import { KeyUnreadable } from '#shared/application/personal-data/key-ring.ts';
import {
  accountKey,
  evolveAccounts,
  noAccounts,
  type ProviderAccounts,
} from '#shared/domain/provider/accounts.ts';
import type { ProviderAccountEvent } from '#shared/domain/provider/events.ts';
import { secretHint, secretKey } from '#shared/platform/standard-webhooks.ts';
import type { ReportKeys } from './verify-report.ts';

/**
 * Learns the secrets that accounts' callbacks are signed with as the log sets accounts up. What can
 * not be opened stays unknown: callbacks that it signed count as without a secret, by its hint.
 */
export function createAccountSecrets(keys: ReportKeys | undefined) {
  const secrets = new Map(keys?.secrets);
  let accounts: ProviderAccounts = noAccounts;
  return {
    keys: keys && { ...keys, secrets },
    take: (event: ProviderAccountEvent, by: { createdIso: string; actor: string }): void => {
      if (!keys?.ofAccounts) return;
      accounts = evolveAccounts(accounts, event, by);
      const { provider, account } = event.data;
      const known = accounts.get(accountKey(provider, account));
      if (!known || !('credentials' in event.data)) return;
      try {
        for (const secret of Object.values(keys.ofAccounts(event.data, known.credentials)))
          secrets.set(secretHint(secret), { provider, key: secretKey(secret) });
      } catch (error) {
        if (!(error instanceof KeyUnreadable)) throw error;
      }
    },
  };
}
