import { join } from 'node:path';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/processes/temp-folder.ts';
import { createLifecycle } from '#shared/application/lifecycle.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { startSandbox } from '../start.ts';

/** The configuration that `createProviders` needs. */
type TestSandboxConfig = {
  SANDBOX_URL: string;
  SANDBOX_API_KEY: string;
  SANDBOX_API_KEY_PREVIOUS: string;
  SANDBOX_CALLBACK_SECRET: string;
  BANK_URL: string;
  BANK_ACCOUNT: string;
  BANK_KEY: string;
};
export type TestSandbox = {
  url: string;
  config: TestSandboxConfig;
  /** How many requests it has not answered, of callers that are still connected. */
  requestsInFlight(): Promise<number | undefined>;
  stop(): Promise<void>;
};

type SandboxOptions = { callbackUrl?: string; demo?: boolean; host?: string; knownAs?: string };

/** Nothing listens there: callbacks stay queued and are retried. */
const nowhere = 'http://127.0.0.1:9/callbacks/sandbox';

/**
 * The real service in this process, on a free port of loopback; `stop` removes its data.
 */
export async function startTestSandbox({
  callbackUrl = nowhere,
  demo = true,
  host = '127.0.0.1',
  knownAs,
}: SandboxOptions = {}): Promise<TestSandbox> {
  const folder = makeTempFolder();
  const secrets = {
    SANDBOX_API_KEY: 'sandbox-test-key-0001',
    SANDBOX_API_KEY_PREVIOUS: 'sandbox-test-key-0000',
    SANDBOX_CALLBACK_SECRET: 'whsec_c2FuZGJveC10ZXN0LWNhbGxiYWNrLXNlY3JldA==',
  };
  const bank = { BANK_ACCOUNT: '40702810500000000001', BANK_KEY: 'bank-test-key-0001' };
  const own = {
    logger,
    metrics: createMetrics('sandbox-provider'),
  };
  const lifecycle = createLifecycle({ name: 'sandbox-provider', ...own });
  const { port } = await startSandbox(
    {
      ...secrets,
      ...bank,
      SANDBOX_PORT: 0,
      SANDBOX_CALLBACK_URL: callbackUrl,
      DATA_DIR: join(folder, 'data'),
      DEMO: demo,
      SANDBOX_LISTEN_HOST: host,
      SANDBOX_URL: knownAs,
      LOG_LEVEL: 'silent',
    },
    { ...own, ...lifecycle },
  );
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    config: { SANDBOX_URL: url, ...secrets, ...bank, BANK_URL: `${url}/bank` },
    requestsInFlight: async () => {
      const gauge = own.metrics.getSingleMetric('gateway_http_requests_in_flight');
      return (await gauge?.get())?.values[0]?.value;
    },
    stop: async () => {
      await lifecycle.stop();
      removeFolder(folder);
    },
  };
}

export const sandboxForFile = (options?: SandboxOptions): TestSandbox =>
  forFile(() => startTestSandbox(options));
