import type { CredentialsForm } from './accounts/credentials.ts';
import { bankCredentials } from '#examples/bank/connector/credentials.ts';
import type { providerNames } from './names.ts';
import { sandboxCredentials } from './sandbox/credentials.ts';

/**
 * The credentials of each provider's accounts. Separate from the connectors, for services that call
 * no provider.
 */
export const credentialsForms: Readonly<Record<(typeof providerNames)[number], CredentialsForm>> = {
  sandbox: sandboxCredentials,
  bank: bankCredentials,
};
