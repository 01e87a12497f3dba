import type { CapacityComparison } from '../compare.ts';
import type { StepFigures } from '#infra/lab/load/judge/bend.ts';
import type { CapacityResult } from '../run.ts';
import type { CapacitySearch } from '../search.ts';
import type { JudgedTrend } from '../soak.ts';
import {
  formatCount,
  figure,
  formatMinutes,
  coresUsedByOthers,
} from '#infra/lab/report/figures.ts';

type Verdict = Pick<CapacityResult, 'search' | 'soak' | 'rest' | 'machine' | 'comparison'>;

/** The CPU use of others, in cores, above which it is reported. */
const othersAtMost = 0.2;

/** The run in a few lines: the bend with its reason, memory, lag, and the state at rest. */
export function verdictLines({ search, soak, rest, machine, comparison }: Verdict): string[] {
  const lines = [holdingLine(search)];
  if (comparison) lines.push(...comparisonLines(comparison));
  if (soak) {
    const { rate, seconds, all } = soak;
    const others = coresUsedByOthers(soak.machine, soak.cores, machine.cores);
    lines.push(
      `${formatMinutes(seconds)} at ${rate} requests a second: ${formatCount(all.failed)} of ${formatCount(all.due)} requests failed.`,
      trendLine('Memory', soak.memory),
      trendLine('Lag', soak.lag),
    );
    if (others > othersAtMost)
      lines.push(
        `Not a quiet machine: others used ${others.toFixed(1)} of its ${machine.cores} cores meanwhile.`,
      );
  }
  lines.push(
    rest.findings.length === 0
      ? `At rest every operation had ended (${formatCount(rest.totals.ended)}), every webhook had come (${formatCount(rest.totals.webhooks)}), and the audit found nothing.`
      : `At rest: ${rest.findings.join('; ')}.`,
  );
  return lines;
}

function holdingLine({ bend, held }: CapacitySearch): string {
  const perSecond = ({ rate, created, seconds }: StepFigures) =>
    `${rate} requests a second (${(created / seconds).toFixed(0)} new operations a second)`;
  const holding = held ? `Holds ${perSecond(held.figures)}` : 'Held no rate that was tried';
  return bend
    ? `${holding}; bends at ${bend.figures.rate}: ${bend.reasons.join('; ')}.`
    : `${holding}; no rate that was tried bent.`;
}

/** The rates that both hold with the same load, and their ratio. */
function comparisonLines({ gateway, counterpart }: CapacityComparison): string[] {
  const [ours, theirs] = [gateway, counterpart].map(({ held }) => held?.figures.rate ?? 0);
  const share = ours && theirs ? ` That is ${(ours / theirs).toFixed(2)} of the counterpart.` : '';
  return [
    `Without receipts, compared with the CRUD counterpart: ${holdingLine(gateway)}${share}`,
    `The CRUD counterpart: ${holdingLine(counterpart)}`,
  ];
}

function trendLine(what: string, trends: readonly JudgedTrend[]): string {
  const growing = trends.filter(({ flat }) => !flat);
  if (growing.length === 0) return `${what}: flat in all ${trends.length} figures.`;
  const details = growing.map(({ name, unit, trend }) => {
    const [first, last, perHour] = [trend.first, trend.last, trend.perHour].map(figure);
    return `${name} from ${first} to ${last} ${unit} (${perHour} ${unit} an hour)`;
  });
  return `${what} grows: ${details.join('; ')}. Flat: ${trends.length - growing.length} of ${trends.length}.`;
}
