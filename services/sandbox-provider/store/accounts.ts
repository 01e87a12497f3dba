import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';

/**
 * The accounts that the provider opened in addition to the first one, which the environment names.
 */
type SandboxAccount = { account: string; callbackSecret: string; callbackUrl: string };

export function createAccountStore(db: DatabaseSync) {
  const put =
    db.prepare(`INSERT INTO accounts (account, callback_secret, callback_url) VALUES (?, ?, ?)
    ON CONFLICT (account) DO UPDATE SET callback_secret = excluded.callback_secret,
      callback_url = excluded.callback_url`);
  const forget = db.prepare('DELETE FROM account_keys WHERE account = ?');
  const allow = db.prepare(
    'INSERT OR REPLACE INTO account_keys (key_sha256, account) VALUES (?, ?)',
  );
  const get = db.prepare(`SELECT account, callback_secret AS callbackSecret,
    callback_url AS callbackUrl FROM accounts WHERE account = ?`);
  const byKey = db.prepare('SELECT account FROM account_keys WHERE key_sha256 = ?');
  const digestApiKey = (apiKey: string) => hash('sha256', apiKey, 'hex');
  return {
    /** Opens an account, or replaces its key. */
    put: ({
      account,
      apiKeys,
      callbackSecret,
      callbackUrl,
    }: SandboxAccount & { apiKeys: readonly string[] }): void => {
      put.run(account, callbackSecret, callbackUrl);
      forget.run(account);
      for (const apiKey of apiKeys) allow.run(digestApiKey(apiKey), account);
    },
    get: (account: string) => get.get(account) as SandboxAccount | undefined,
    /**
     * The account that a key opens: found by its hash, so that the time of the comparison reveals
     * nothing about the key.
     */
    byKey: (apiKey: string): string | undefined => {
      const row = byKey.get(digestApiKey(apiKey));
      return row && String(row['account']);
    },
  };
}
