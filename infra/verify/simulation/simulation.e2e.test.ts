import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { createLog } from './log.ts';
import { simulate } from './run.ts';

const schedules = 100;

// A fixed seed, so that a failure is caused by the tested change; `npm run simulate` uses
// others. One worker: the other core is for the tests that run in parallel.
test(`finds no violation in ${schedules} schedules`, () => {
  const flags = ['--schedules', String(schedules), '--seed', '1', '--workers', '1'];
  const program = ['infra/verify/simulation/main.ts', ...flags];
  const ran = spawnSync(process.execPath, program, { encoding: 'utf8' });
  const { status, stdout, stderr } = ran;
  // The output contains the seeds of violations.
  expect({ status, stdout, stderr }).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('nothing found'),
  });
});

/** The findings of the first schedule with a violation. */
const firstFindings = async (seeds: readonly number[], makeLog: typeof createLog) => {
  for (const seed of seeds) {
    const { findings } = await simulate(seed, makeLog);
    if (findings.length > 0) return findings.map(({ what }) => what);
  }
  return [];
};

test('detects a store that loses every third acknowledged append to a ledger', async () => {
  const forgetful = () => {
    const log = createLog();
    let count = 0;
    const append: typeof log.append = (request) => {
      if (!request.stream.startsWith('ledger-')) return log.append(request);
      count += 1;
      if (count % 3 !== 0) return log.append(request);
      return {
        revision: request.expectedRevision + request.events.length,
        position: BigInt(log.size()),
      };
    };
    return { ...log, append };
  };
  expect(await firstFindings([1, 2, 3, 4], forgetful)).toContainEqual(
    expect.stringMatching(/^the auditor: /),
  );
});
