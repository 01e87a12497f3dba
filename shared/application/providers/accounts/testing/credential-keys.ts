import { testMasterKey } from '#shared/application/personal-data/testing/personal-data.ts';
import { createCredentialKeys } from '../credential-keys.ts';

/** The key of tests for credentials: services in one test's store must have the same. */
export const testCredentialsKey = Buffer.alloc(32, 'of credentials').toString('base64url');
/** And for secrets of callbacks. */
export const testCallbacksKey = Buffer.alloc(32, 'of callbacks').toString('base64url');

export const testCredentialKeys = createCredentialKeys({
  PERSONAL_DATA_KEY: testMasterKey,
  PERSONAL_DATA_KEY_PREVIOUS: [],
  PROVIDER_CREDENTIALS_KEY: testCredentialsKey,
  PROVIDER_CREDENTIALS_KEY_PREVIOUS: [],
  PROVIDER_CALLBACKS_KEY: testCallbacksKey,
  PROVIDER_CALLBACKS_KEY_PREVIOUS: [],
});
