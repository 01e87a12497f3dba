import { expect, test } from 'vitest';
import { processNames } from './faults/plan.ts';
import { judgeRun, type RunEvidence } from './judge.ts';
import { isTerminalEventType } from '#shared/domain/operation/events.ts';
import { usesExternalServer } from '#infra/verify/harness/stores/external-store.ts';
import { renderChaosReport } from './report.ts';
import { runChaos } from './run.ts';

const seed = Number(process.env['CHAOS_SEED'] ?? 1);

// A short run; `npm run verify -- chaos` takes other seeds and longer runs.
test('a stack keeps every acknowledged result while its processes are killed', async () => {
  const result = await runChaos({ seed, forMs: 6_000, instances: 1 });
  if (result.findings.length > 0) throw new Error(renderChaosReport(result));
  // Shows that faults were injected under load; a busy machine reaches fewer of both.
  const processes = processNames(1);
  const killed = processes.filter((name) => result.faults.has(`kill ${name}`));
  expect(killed.length).toBeGreaterThan(processes.length / 2);
  expect(result.operations).toBeGreaterThan(5);
  expect(result.webhooks).toBeGreaterThan(5);
  for (const [what, planted] of plantsIn(result.evidence))
    expect(judgeRun(planted).map((finding) => finding.what)).toContainEqual(
      expect.stringMatching(what),
    );
});

// The node is among the processes that the test before kills.
test.runIf(usesExternalServer())(
  'a stack keeps every acknowledged result while its event store is killed again and again',
  async () => {
    const result = await runChaos({ seed, forMs: 12_000, instances: 1, only: 'event-store' });
    if (result.findings.length > 0) throw new Error(renderChaosReport(result));
    expect(result.faults.get('kill event-store')).toBeGreaterThan(1);
    expect(result.operations).toBeGreaterThan(5);
  },
  240_000,
);

/** The evidence that each kind of loss would leave, with the finding that it must cause. */
function plantsIn(evidence: RunEvidence): [RegExp, RunEvidence][] {
  const { log, arrivals } = evidence;
  const [stream, events] =
    [...log].find(([, each]) => each.some(({ type }) => isTerminalEventType(type))) ?? [];
  const end = events?.findIndex(({ type }) => isTerminalEventType(type)) ?? -1;
  const { sequence, id } = arrivals.find(({ takenAt }) => takenAt !== undefined) ?? {};
  const shortened = (length: number) =>
    new Map([...log, [stream ?? '', events?.slice(0, length) ?? []]]);
  const without = arrivals.filter((each) => each.id !== id);
  const shifted = arrivals.map((each) => ({ ...each, sequence: each.sequence + 1 }));
  const noLedger = new Map([...log].filter(([name]) => !name.startsWith('ledger-')));
  const lost = new RegExp(`^a webhook never came: the one with sequence ${sequence}`);
  return [
    [/^the log has not a create that was answered/, { ...evidence, log: shortened(0) }],
    [/^the log has not the end that an answer showed/, { ...evidence, log: shortened(end) }],
    [lost, { ...evidence, arrivals: without }],
    [/^webhooks came out of order/, { ...evidence, arrivals: shifted }],
    [/^the ledger has an adjustment 0 times/, { ...evidence, log: noLedger }],
  ];
}
