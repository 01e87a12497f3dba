import { request } from '#infra/verify/harness/shops/merchant.ts';

/** The credentials of an account with the sandbox; each version has another API key. */
export const accountCredentials = (account: string, version = 1) => ({
  api_key: `the-key-${version}-of-${account}`,
  callback_secret: `whsec_${Buffer.from(account.padEnd(33, '.')).toString('base64')}`,
});

/** Opens an account at the sandbox, which accepts the keys of these versions from now on. */
export async function openAccount(url: string, account: string, versions = [1]): Promise<void> {
  const { status } = await request(`${url}/control/accounts/${account}`, 'PUT', {
    api_keys: versions.map((version) => accountCredentials(account, version).api_key),
    callback_secret: accountCredentials(account).callback_secret,
  });
  if (status !== 200) throw new Error(`the provider answered ${status}`);
}
