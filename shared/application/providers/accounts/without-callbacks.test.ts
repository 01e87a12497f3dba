import { expect, it } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { evolveAccounts, noAccounts } from '#shared/domain/provider/accounts.ts';
import { testMasterKey } from '#shared/application/personal-data/testing/personal-data.ts';
import { credentialsForms } from '../credentials-forms.ts';
import { createProviders } from '../index.ts';
import { providerNames } from '../names.ts';
import { createCredentialKeys } from './credential-keys.ts';
import { testCredentialKeys, testCredentialsKey } from './testing/credential-keys.ts';

const config = {
  SANDBOX_URL: 'http://127.0.0.1:9',
  SANDBOX_API_KEY: 'key-of-the-environment',
  BANK_URL: 'http://127.0.0.1:9/bank',
  BANK_ARRIVAL_MS: 1_000,
  BANK_CLOCK_SKEW_MS: 1_000,
};
/** The keys of a process that reads no callbacks. */
const callersKeys = createCredentialKeys({
  PERSONAL_DATA_KEY: testMasterKey,
  PERSONAL_DATA_KEY_PREVIOUS: [],
  PROVIDER_CREDENTIALS_KEY: testCredentialsKey,
  PROVIDER_CREDENTIALS_KEY_PREVIOUS: [],
});

it.each(providerNames)(
  'uses an account of %s without being able to decrypt its callback secrets',
  async (provider) => {
    const { example, callbacks } = credentialsForms[provider];
    const account = { provider, account: 'second' };
    const credentials = testCredentialKeys.seal({ ...account, number: 1 }, example);
    const accounts = evolveAccounts(
      noAccounts,
      { type: 'ProviderAccountAdded', data: { ...account, label: 'Second', credentials } },
      { createdIso: '2026-01-31T12:00:00.000Z', actor: 'operator:anna' },
    );
    const directory = { providers: async () => ({ revision: 0, off: new Map(), accounts }) };
    const setup = { directory, credentialKeys: callersKeys };
    const built = createProviders(config, logger, { accounts: setup });
    const used = await built.accounts.use(account, async ({ reports }) => reports.by);
    expect(used).toEqual({
      outcome: 'used',
      result: callbacks.length > 0 ? 'callbacks' : 'polling',
    });
    await built.close();
  },
);
