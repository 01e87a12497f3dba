import { testMasterKey } from '#shared/application/personal-data/testing/personal-data.ts';
import { createCredentialKeys } from '../credential-keys.ts';

/** The credentials key of tests: all services on the store of a test must share it. */
export const testCredentialsKey = Buffer.alloc(32, 'of credentials').toString('base64url');
/** The callbacks key of tests. */
export const testCallbacksKey = Buffer.alloc(32, 'of callbacks').toString('base64url');

export const testCredentialKeys = createCredentialKeys({
  PERSONAL_DATA_KEY: testMasterKey,
  PERSONAL_DATA_KEY_PREVIOUS: [],
  PROVIDER_CREDENTIALS_KEY: testCredentialsKey,
  PROVIDER_CREDENTIALS_KEY_PREVIOUS: [],
  PROVIDER_CALLBACKS_KEY: testCallbacksKey,
  PROVIDER_CALLBACKS_KEY_PREVIOUS: [],
});
