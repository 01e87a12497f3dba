import { ConfigError } from '#shared/config/load.ts';
import type { Logger } from '#shared/logger.ts';
import { redactLogText } from '#shared/redact-value.ts';
import { settleOnceStarted, type Settling } from '#shared/settle.ts';
import { stopTracing } from '#shared/tracing/tracing.ts';

const stopTimeoutMs = 20_000;

/** Runs a service's `main`: a bad environment ends it with one readable report, SIGTERM and Ctrl-C stop it. */
export async function runService(
  start: () => Promise<{ logger: Logger; stop(): Promise<void> }>,
  settling: Settling = {},
): Promise<void> {
  const early = Promise.withResolvers<void>();
  const signals = ['SIGTERM', 'SIGINT'] as const;
  for (const signal of signals) process.once(signal, () => early.resolve());
  try {
    const { logger, stop } = await start();
    settleOnceStarted(settling);
    await early.promise;
    logger.info('stopping');
    // A bound on the stop. It also holds the event loop: the event store's client lets go of it before its last
    // callbacks, and Node would end the process with code 13 in the middle of `stop`.
    setTimeout(() => process.exit(1), stopTimeoutMs);
    await stop();
    await stopTracing();
    process.exit(0);
  } catch (error) {
    process.stderr.write(
      `${error instanceof ConfigError ? error.message : redactLogText(String((error as Error).stack ?? error))}\n`,
    );
    process.exit(1);
  }
}
