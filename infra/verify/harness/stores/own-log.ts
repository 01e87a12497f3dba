import { forFile } from '../tests/for-file.ts';
import { startHelper, type Helper } from '../processes/helper-process.ts';
import type { LogOrder } from './log-host.ts';

export type OwnLog = Awaited<ReturnType<typeof startOwnLog>>;

/** One process hosts the logs of all test files that this worker runs: a start takes a second. */
let host: Helper<LogOrder> | undefined;

/**
 * An empty log of its own, for tests that judge or follow the whole log: the shared log has other
 * tests' events, some of them invalid. A test that kills its store starts one with
 * `startStoreProcess`.
 * @returns its connection string, and what removes it
 */
export async function startOwnLog() {
  host ??= startHelper<LogOrder>('infra/verify/harness/stores/log-host.ts');
  const { url } = await host.request<{ url: string }>({ order: 'open' });
  return { url, stop: async () => void (await host?.request({ order: 'close', url })) };
}

export const ownLogForFile = (): OwnLog => forFile(startOwnLog);
