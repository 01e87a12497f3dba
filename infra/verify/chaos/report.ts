import { percentile } from '#infra/verify/harness/figures/statistics.ts';
import type { ChaosResult } from './run.ts';

/** The report of a run. */
export function renderChaosReport(result: ChaosResult): string {
  const {
    seed,
    operations,
    webhooks,
    requests,
    faults,
    restMs,
    audit,
    findings,
    complaints,
    webhooksLateMs,
  } = result;
  const lines = [
    `seed ${seed}: ${operations} operations, ${total(requests)} requests, ${webhooks} webhooks came, ${total(faults)} faults`,
    '',
    ...table('requests', requests),
    '',
    ...table('faults', faults),
    '',
    ...table('what the processes complained of', complaints.counts),
    '',
    `webhooks came ${lateness(webhooksLateMs)} after their events (half, 99 of 100, the last)`,
    `at rest ${(restMs / 1000).toFixed(1)} s after the faults; the audit read ${audit}`,
    findings.length === 0 ? 'nothing found' : `${findings.length} findings:`,
    ...[...Map.groupBy(findings, ({ what }) => what)].map(
      ([what, all]) =>
        `  ${all.length} × ${what}\n    ${JSON.stringify(all[0]?.shows)?.slice(0, 4_000)}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

const lateness = (ms: readonly number[]) =>
  [0.5, 0.99, 1].map((share) => `${(percentile(ms, share) / 1000).toFixed(1)} s`).join(', ');

const total = (counts: ReadonlyMap<string, number>) =>
  [...counts.values()].reduce((sum, count) => sum + count, 0);

function table(title: string, counts: ReadonlyMap<string, number>): string[] {
  const rows = [...counts].toSorted(([left], [right]) => (left < right ? -1 : 1));
  return [title, ...rows.map(([what, count]) => `  ${String(count).padStart(6)}  ${what}`)];
}
