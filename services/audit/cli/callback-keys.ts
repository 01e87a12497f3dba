import { loadConfig, loadOptional } from '#shared/platform/config/load.ts';
import { createMasterKeys } from '#shared/application/personal-data/master-keys.ts';
import { reportKeys, type ReportKeys } from '../callbacks/verify-report.ts';

/**
 * The keys that verify callbacks. Undefined unless both a provider's secret and the master key are
 * given.
 * @throws ConfigError when one is malformed
 */
export function readReportKeys(
  env: Readonly<Record<string, string | undefined>> = process.env,
): ReportKeys | undefined {
  const given = [
    loadOptional('SANDBOX_CALLBACK_SECRET', env),
    loadOptional('SANDBOX_CALLBACK_SECRET_PREVIOUS', env),
  ].filter((secret) => secret !== undefined);
  if (given.length === 0 || loadOptional('PERSONAL_DATA_KEY', env) === undefined) return undefined;
  return reportKeys(
    given.map((secret) => ({ provider: 'sandbox', secret })),
    createMasterKeys(loadConfig(['PERSONAL_DATA_KEY', 'PERSONAL_DATA_KEY_PREVIOUS'], env)),
  );
}
