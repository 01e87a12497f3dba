import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { accountCredentials, openAccount } from '#services/sandbox-provider/testing/account.ts';
import { sandboxForFile } from '#services/sandbox-provider/testing/start.ts';
import { useOwnEventStore } from '#projections/testing/stores.ts';
import { createDirectory } from '#shared/application/directory/directory.ts';
import { setupLeaseMs } from '#shared/application/directory/stream.ts';
import { writeToDirectory } from '#shared/application/directory/testing/write.ts';
import { personalDataRing } from '#shared/application/personal-data/master-keys.ts';
import { testMasterKey } from '#shared/application/personal-data/testing/personal-data.ts';
import { credentialsText } from '#shared/application/providers/accounts/credentials.ts';
import { testCredentialKeys } from '#shared/application/providers/accounts/testing/credential-keys.ts';
import { createProviders } from '#shared/application/providers/index.ts';
import { startAdmin } from '../../testing/admin.ts';

// Credentials sealed before they had a key of their own. The log is separate, because such
// credentials are refused as soon as any are sealed with the new key.

const path = '/admin/v1/providers/sandbox/accounts';
const own = useOwnEventStore();
const sandbox = sandboxForFile();
const directory = forFile(() => createDirectory(own.store));
const built = forFile(() => {
  const accounts = { directory, credentialKeys: testCredentialKeys };
  const config = { ...sandbox.config, BANK_ARRIVAL_MS: 1_000, BANK_CLOCK_SKEW_MS: 1_000 };
  return createProviders(config, logger, { accounts });
});
const admin = forFile(() => {
  const urls = { eventStoreUrl: own.log.url, databaseUrl: inject('databaseUrl') };
  return startAdmin(urls, { accounts: built.accounts });
});

/** Adds an account with credentials in the former format, and opens it at the provider. */
async function addFormerly(account: string): Promise<void> {
  await openAccount(sandbox.url, account);
  const keys = { PERSONAL_DATA_KEY: testMasterKey, PERSONAL_DATA_KEY_PREVIOUS: [] };
  const ring = personalDataRing(keys);
  const text = credentialsText(accountCredentials(account));
  const { id, sealed } = ring.seal(Buffer.from(text), `provider-account sandbox/${account}`);
  const credentials = { master_key_id: id, sealed, fingerprint: '0123456789abcdef' };
  const data = { provider: 'sandbox', account, label: 'Old', credentials };
  await writeToDirectory(own.store, 'ProviderAccountAdded', data);
  await delay(setupLeaseMs);
}

type Account = {
  account: string;
  credentials: { version: number; readable: boolean; sealed_as_now: boolean };
};
const readCredentials = async (account: string) => {
  const { body } = await admin.call<{ accounts: Account[] }>(`GET ${path}`);
  return body.accounts.find((each) => each.account === account)?.credentials;
};
const check = async (account: string) =>
  (await admin.call<{ result: string }>(`GET ${path}/${account}/check`)).body.result;

it('reads credentials sealed with the personal data key, but no new ones after a replacement (R23.2)', async () => {
  await addFormerly('first');
  await addFormerly('second');
  expect(await check('first')).toBe('ok');
  const formerly = { version: 1, readable: true, sealed_as_now: false };
  expect(await readCredentials('first')).toMatchObject(formerly);
  const body = { credentials: accountCredentials('first') };
  expect((await admin.call(`POST ${path}/first/credentials`, { body })).status).toBe(200);
  expect(await check('first')).toBe('ok');
  const replaced = { version: 2, readable: true, sealed_as_now: true };
  expect(await readCredentials('first')).toMatchObject(replaced);
  // The existing ones still work, but no further ones are accepted.
  expect(await check('second')).toBe('ok');
  await addFormerly('third');
  expect(await readCredentials('third')).toMatchObject({ readable: false });
  expect(await check('third')).toBe('unknown');
});
