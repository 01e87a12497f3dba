import { vi } from 'vitest';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { createClient } from './client.ts';
import { startReceiver, type Received } from './receiver.ts';
import { startTestSandbox } from './start.ts';
import { waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';

/** A sandbox with a receiver of its callbacks, for the tests of one file. */
export function useSandbox({
  demo = true,
  answer,
}: { demo?: boolean; answer?: (index: number, received: Received) => number } = {}) {
  const receiver = forFile(() => startReceiver(answer));
  const sandbox = forFile(() => startTestSandbox({ callbackUrl: receiver.url, demo }));
  const client = forFile(() =>
    createClient({ url: sandbox.url, apiKey: sandbox.config.SANDBOX_API_KEY }),
  );
  return {
    sandbox,
    receiver,
    client,
    /** All callbacks of the operation, once at least `count` have arrived. */
    callbacks: (operationId: string, count: number): Promise<Received[]> =>
      vi.waitUntil(
        () => {
          const received = receiver.of(operationId);
          return received.length >= count && received;
        },
        { timeout: waitLimitMs, interval: 10 },
      ),
  };
}
