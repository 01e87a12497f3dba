import { loadConfig, loadOptional } from '#shared/platform/config/load.ts';
import { createCallbackSecrets } from '#shared/application/providers/accounts/credential-keys.ts';
import { createMasterKeys } from '#shared/application/personal-data/master-keys.ts';
import { reportKeys, type ReportKeys } from '../log/callbacks/verify-report.ts';

/**
 * The keys that verify callbacks. Undefined unless the master key is given, and with it a
 * provider's secret or the key that seals the secrets of accounts.
 * @throws ConfigError when one is malformed
 */
export function readReportKeys(
  env: Readonly<Record<string, string | undefined>> = process.env,
): ReportKeys | undefined {
  const sandboxSecrets = [
    loadOptional('SANDBOX_CALLBACK_SECRET', env),
    loadOptional('SANDBOX_CALLBACK_SECRET_PREVIOUS', env),
  ].filter((secret) => secret !== undefined);
  const ofAccounts = loadOptional('PROVIDER_CALLBACKS_KEY', env);
  if (sandboxSecrets.length === 0 && ofAccounts === undefined) return undefined;
  if (loadOptional('PERSONAL_DATA_KEY', env) === undefined) return undefined;
  return reportKeys(
    sandboxSecrets.map((secret) => ({ provider: 'sandbox', secret })),
    createMasterKeys(loadConfig(['PERSONAL_DATA_KEY', 'PERSONAL_DATA_KEY_PREVIOUS'], env)),
    ofAccounts === undefined
      ? undefined
      : createCallbackSecrets(
          ofAccounts,
          loadOptional('PROVIDER_CALLBACKS_KEY_PREVIOUS', env) ?? [],
        ),
  );
}
