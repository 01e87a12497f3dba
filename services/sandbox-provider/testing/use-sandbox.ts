import { afterAll, beforeAll, vi } from 'vitest';
import { createClient } from './client.ts';
import { startReceiver, type Received } from './receiver.ts';
import { startTestSandbox, type TestSandbox } from './start.ts';

/** A sandbox with a receiver of its callbacks, for the tests of one file. */
export function useSandbox({
  demo = true,
  answer,
}: { demo?: boolean; answer?: (index: number, received: Received) => number } = {}) {
  let sandbox: TestSandbox;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let client: ReturnType<typeof createClient>;
  beforeAll(async () => {
    receiver = await startReceiver(answer);
    sandbox = await startTestSandbox({ callbackUrl: receiver.url, demo });
    client = createClient({ url: sandbox.url, apiKey: sandbox.config.SANDBOX_API_KEY });
  });
  afterAll(async () => {
    await sandbox.stop();
    await receiver.stop();
  });
  return {
    get sandbox() {
      return sandbox;
    },
    get receiver() {
      return receiver;
    },
    get client() {
      return client;
    },
    /** All callbacks of the operation, once at least `count` have arrived. */
    callbacks: (operationId: string, count: number): Promise<Received[]> =>
      vi.waitUntil(
        () => {
          const received = receiver.of(operationId);
          return received.length >= count && received;
        },
        { timeout: 20_000, interval: 10 },
      ),
  };
}
