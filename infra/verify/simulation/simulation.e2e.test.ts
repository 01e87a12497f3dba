import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { createLog } from './log.ts';
import { simulate } from './run.ts';

const schedules = 100;
/** The program ends a hanging schedule and reports it; on a busy machine it is slow before that. */
const timeoutMs = 360_000;

// From one seed on, so that a failure is one of the change that is tested; `npm run simulate` takes
// others. One worker: the other core is for the tests beside this one.
test(
  `${schedules} schedules break no rule`,
  () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        'infra/verify/simulation/main.ts',
        '--schedules',
        String(schedules),
        '--seed',
        '1',
        '--workers',
        '1',
      ],
      { encoding: 'utf8' },
    );
    // The seeds of those that do are in what it printed.
    expect({ status, stdout, stderr }).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('nothing found'),
    });
  },
  timeoutMs,
);

/** What the first schedule shows that breaks a rule. */
const found = async (seeds: readonly number[], makeLog: typeof createLog) => {
  for (const seed of seeds) {
    const { findings } = await simulate(seed, makeLog);
    if (findings.length > 0) return findings.map(({ what }) => what);
  }
  return [];
};

test("a store that acknowledges every third of a ledger's appends, and keeps none of it, is found out", async () => {
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
  expect(await found([1, 2, 3, 4], forgetful)).toContainEqual(
    expect.stringMatching(/^the auditor: /),
  );
});
