import { findFreePort } from '#infra/process/free-port.ts';
import { databaseForFile } from '#infra/verify/harness/stores/database.ts';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { ownLogForFile } from '#infra/verify/harness/stores/own-log.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import { loadSigningKey } from '#shared/platform/config/signing-key.ts';
import { signAppends } from '#shared/platform/event-store/sign-appends.ts';
import { testKeyPair } from '#shared/platform/event-store/testing/log-keys.ts';
import { startTestSandbox } from '#services/sandbox-provider/testing/start.ts';

/** A separate log, a database and a provider for services in their own processes. */
export function environmentForFile() {
  const log = ownLogForFile();
  // Services trust only what a service has signed, and shops are the admin's to set up.
  const signer = loadSigningKey('admin', { LOG_SIGNING_KEYS: testKeyPair('admin') });
  const store = forFile(() => signAppends(connectEventStore(log.url), signer));
  const database = databaseForFile();
  const ports = forFile(async () => ({
    PROCESSOR_PORT: String(await findFreePort()),
    GATEWAY_PORT: String(await findFreePort()),
  }));
  const sandbox = forFile(() =>
    startTestSandbox({
      callbackUrl: `http://127.0.0.1:${ports.PROCESSOR_PORT}/callbacks/sandbox`,
    }),
  );
  const env = forFile<Record<string, string>>(() => ({
    ...ports,
    EVENT_STORE_URL: log.url,
    DATABASE_URL: database.url,
    // Longer than a machine may stall between the start of a create and a kill.
    PROVIDER_ACCEPTANCE_MS: '10000',
    PAY_BASE_URL: 'http://pay.test',
    RECEIPT_URL_SECRET: 'a-secret-of-the-receipt-links',
    ...sandbox.config,
  }));
  return { store, sandbox, env };
}
