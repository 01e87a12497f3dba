import { findFreePort } from '#infra/process/free-port.ts';
import { createDatabase } from '#infra/verify/harness/database.ts';
import { startOwnLog } from '#infra/verify/harness/own-log.ts';
import { startTestSandbox } from '#services/sandbox-provider/testing/start.ts';
import { connectEventStore } from '#shared/application/event-store.ts';

/** A separate log, a database and a provider for services in their own processes. */
export async function startEnvironment(acceptanceMs = 10_000) {
  const log = await startOwnLog();
  const store = connectEventStore(log.url);
  const database = await createDatabase();
  const port = await findFreePort();
  const sandbox = await startTestSandbox({
    callbackUrl: `http://127.0.0.1:${port}/callbacks/sandbox`,
  });
  const env: Record<string, string> = {
    PROCESSOR_PORT: String(port),
    GATEWAY_PORT: String(await findFreePort()),
    EVENT_STORE_URL: log.url,
    DATABASE_URL: database.url,
    PROVIDER_ACCEPTANCE_MS: String(acceptanceMs),
    PAY_BASE_URL: 'http://pay.test',
    RECEIPT_URL_SECRET: 'a-secret-of-the-receipt-links',
    ...sandbox.config,
  };
  const stop = async () => {
    await sandbox.stop();
    await store.close();
    await database.drop();
    await log.stop();
  };
  return { store, sandbox, env, stop };
}
