import { createRandom } from '#infra/verify/harness/tests/random.ts';
import { auditLog } from './checks/audit.ts';
import { checkDerived } from './checks/derived.ts';
import { checkOperation } from './checks/provider.ts';
import type { Find, BrokenRule } from '#infra/verify/harness/tests/finding.ts';
import { checkAnswers } from './checks/answers.ts';
import { takeOver } from './clock.ts';
import { createLog } from './log.ts';
import { play, type Rest } from './play.ts';
import { simulateGateway, type SimulatedGateway } from './simulated-gateway.ts';

export type SimulationOutcome = Awaited<ReturnType<typeof simulate>>;

/** More than a schedule takes: a longer one is a finding instead of a hang. */
const maxSteps = 100_000;

/**
 * Runs one schedule: the seed decides requests, delays, losses, crashes and the providers'
 * behaviour. Faults stop after a while, with one instance of each service down for good in some
 * schedules; then everything must come to rest, and the answers to merchants, the ledger and the
 * providers must agree.
 */
export async function simulate(seed: number, makeLog = createLog) {
  const random = createRandom(seed);
  const clock = takeOver(random);
  const findings: BrokenRule[] = [];
  const find: Find = (what, shows) => void findings.push({ what, shows });
  let gateway: SimulatedGateway | undefined;
  try {
    gateway = simulateGateway({ random, log: makeLog(), find });
    let rest: Rest | undefined;
    let over = false;
    void play(gateway, { random, clock })
      .then((came) => (rest = came))
      .catch((error: unknown) =>
        find('the schedule broke', error instanceof Error ? error.stack : error),
      )
      .finally(() => (over = true));
    for (let steps = 0; !over; steps += 1) {
      if (!(await clock.step()) || steps > maxSteps) {
        find(
          steps > maxSteps
            ? 'the schedule goes on and on'
            : 'nothing moves any more, and nothing will',
        );
        break;
      }
    }
    const simulatedMs = clock.elapsedMs();
    if (!rest) find('it never came to rest', gateway.due.rows());
    await check(gateway, rest?.events ?? 0, find);
    const { log, network, cluster, operations, providers } = gateway;
    return {
      seed,
      findings,
      operations: operations.length,
      events: log.size(),
      calls: network.calls(),
      crashes: cluster.crashes(),
      injected: network.injected,
      /** By provider. */
      attempts: new Map(providers.map((each) => [each.name, each.attempts().length])),
      simulatedMs,
      /** The time from the last fault to rest. */
      restedMs: rest?.afterMs ?? 0,
      /** Equal for equal seeds. */
      fingerprint: log
        .page(0, log.size())
        .map(({ id }) => id.slice(0, 2))
        .join(''),
    };
  } finally {
    gateway?.cluster.end();
    await clock.restore();
    gateway?.bank.close();
  }
}

async function check(
  { log, files, providers, due, operations }: SimulatedGateway,
  eventsAtRest: number,
  find: Find,
): Promise<void> {
  const expectedWebhooks = await auditLog(log.audited(), eventsAtRest, find);
  const attempts = providers.flatMap((provider) => provider.attempts());
  for (const operation of operations) {
    checkAnswers(operation, find);
    checkOperation({ log, files, attempts, operation }, find);
    checkDerived({ log, operation, expectedWebhooks }, find);
  }
  if (due.rows().length > 0) find('work is left over', due.rows());
}
