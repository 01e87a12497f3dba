import { KeyUnreadable } from '#shared/application/personal-data/key-ring.ts';
import {
  accountKey,
  evolveAccounts,
  noAccounts,
  previousValidMs,
  type ProviderAccounts,
} from '#shared/domain/provider/accounts.ts';
import type { ProviderAccountEvent } from '#shared/domain/provider/events.ts';
import { secretHint, secretKey } from '#shared/platform/standard-webhooks.ts';
import type { ReportKeys, ReportSigner } from './verify-report.ts';

/**
 * Learns the secrets that accounts' callbacks are signed with as the log sets accounts up. What can
 * not be opened stays unknown: callbacks that it signed count as without a secret, by its hint.
 */
export function createAccountSecrets(keys: ReportKeys | undefined) {
  const secrets = new Map<string, readonly ReportSigner[]>(keys?.secrets);
  /** All that the log has set up. */
  const signers: ReportSigner[] = [];
  let accounts: ProviderAccounts = noAccounts;

  /** Replaced secrets are accepted until the stated time, for a day at most (R23.4). */
  const endBefore = (event: ProviderAccountEvent, atMs: number): void => {
    const { provider, account, ...data } = event.data;
    const until = 'previous_valid_until' in data ? data.previous_valid_until : undefined;
    const statedMs = until === undefined ? atMs : Date.parse(until);
    const untilMs = Math.min(statedMs, atMs + previousValidMs);
    for (const signer of signers)
      if (signer.provider === provider && signer.account === account)
        signer.endsMs = signer.endsMs === Infinity ? untilMs : Math.min(signer.endsMs, atMs);
  };

  return {
    keys: keys && { ...keys, secrets },
    take: (event: ProviderAccountEvent, by: { createdIso: string; actor: string }): void => {
      if (!keys?.ofAccounts) return;
      accounts = evolveAccounts(accounts, event, by);
      const { provider, account } = event.data;
      const existing = accounts.get(accountKey(provider, account));
      if (!existing || !('credentials' in event.data)) return;
      endBefore(event, Date.parse(by.createdIso));
      try {
        for (const secret of Object.values(keys.ofAccounts(event.data, existing.credentials))) {
          const hint = secretHint(secret);
          const signer = { provider, account, key: secretKey(secret), endsMs: Infinity };
          signers.push(signer);
          // Two accounts may have one secret.
          secrets.set(hint, [...(secrets.get(hint) ?? []), signer]);
        }
      } catch (error) {
        if (!(error instanceof KeyUnreadable)) throw error;
      }
    },
  };
}
