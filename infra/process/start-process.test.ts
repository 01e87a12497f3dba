import { getPriority } from 'node:os';
import { afterAll, expect, it } from 'vitest';
import { startProcess } from './start-process.ts';
import { startWatchdog } from './watchdog.ts';

const watchdog = startWatchdog();
afterAll(() => watchdog.close());

const sleeper = {
  name: 'sleeper',
  command: '/bin/sleep',
  args: ['60'],
  stopSignal: 'SIGTERM',
} as const;

it('lets a follower give way to the others, and nobody else', async () => {
  const plain = startProcess(sleeper, { watchdog });
  const follower = startProcess({ ...sleeper, niceness: 7 }, { watchdog });
  expect([getPriority(plain.pid), getPriority(follower.pid)]).toEqual([getPriority(), 7]);
  await Promise.all([plain.stop(5_000), follower.stop(5_000)]);
});
