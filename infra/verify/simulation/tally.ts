import { faults, type NetworkFault } from './network.ts';
import type { SimulationOutcome } from './run.ts';

const shownSeeds = 10;

/** Adds up the results of schedules for the console. */
export function createScheduleTally() {
  const beganAt = performance.now();
  const sums = { schedules: 0, operations: 0, events: 0, calls: 0, crashes: 0, simulatedMs: 0 };
  const injected = new Map<NetworkFault, number>(faults.map((fault) => [fault, 0]));
  const attempts = new Map<string, number>();
  const failed: number[] = [];
  let restedMs = 0;

  const line = () => {
    const seconds = (performance.now() - beganAt) / 1000;
    const { schedules, operations, events, calls, crashes, simulatedMs } = sums;
    const perMinute = Math.round((schedules / Math.max(seconds, 0.001)) * 60);
    return (
      `${schedules} schedules in ${Math.round(seconds)} s (${perMinute} a minute): ${operations} operations, ` +
      `${events} events, ${calls} calls, ${crashes} crashes, ${(simulatedMs / 3_600_000).toFixed(1)} h of their time`
    );
  };

  return {
    add: (outcome: SimulationOutcome) => {
      sums.schedules += 1;
      for (const sum of ['operations', 'events', 'calls', 'crashes', 'simulatedMs'] as const)
        sums[sum] += outcome[sum];
      for (const [fault, count] of outcome.injected)
        injected.set(fault, (injected.get(fault) ?? 0) + count);
      for (const [name, count] of outcome.attempts)
        attempts.set(name, (attempts.get(name) ?? 0) + count);
      if (outcome.findings.length > 0) failed.push(outcome.seed);
      restedMs = Math.max(restedMs, outcome.restedMs);
    },
    /** Counts a schedule that failed because its worker did not finish it. */
    broke: (seed: number) => void failed.push(seed),
    line,
    /** Seeds of the schedules that broke a rule, or their worker. */
    failed: () => failed,
    summary: () => {
      const found =
        failed.length === 0 ? 'nothing found' : `${failed.length} schedules broke a rule`;
      const replays = failed
        .slice(0, shownSeeds)
        .map((seed) => `replay with: npm run simulate -- --seed ${seed}\n`);
      const counts = [...injected].map(([fault, count]) => `${count} ${fault}`).join(', ');
      const carried = [...attempts].map(([name, count]) => `${count} ${name}`).join(', ');
      const rest = `at rest ${(restedMs / 1000).toFixed(1)} s after the last fault at the latest`;
      return `${line()}\nfaults: ${counts}\nattempts: ${carried}\n${rest}\n${replays.join('')}${found}\n`;
    },
  };
}
