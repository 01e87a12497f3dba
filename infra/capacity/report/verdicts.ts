import type { CapacityResult } from '../run.ts';
import type { JudgedTrend } from '../soak.ts';

/** The run in a few lines: the bend and by what, memory, lag, and what is there at rest. */
export function verdictsOf({ search, soak, rest }: CapacityResult): string[] {
  const { bend, held } = search;
  const perSecond = (rate: number | undefined, created: number, seconds: number) =>
    `${rate} requests a second (${(created / seconds).toFixed(0)} new operations a second)`;
  const holding = held
    ? `Holds ${perSecond(held.figures.rate, held.figures.created, held.figures.seconds)}`
    : 'Held no rate that was tried';
  const lines = [
    bend
      ? `${holding}; bends at ${bend.figures.rate}: ${bend.reasons.join('; ')}.`
      : `${holding}; no rate that was tried bent.`,
  ];
  if (soak) {
    const { rate, seconds, all } = soak;
    const minutes = Math.round(seconds / 6) / 10;
    lines.push(
      `${minutes} minutes at ${rate} requests a second: ${all.failed} of ${all.due} requests failed.`,
      trendLine('Memory', soak.memory),
      trendLine('Lag', soak.lag),
    );
  }
  lines.push(
    rest.findings.length === 0
      ? `At rest every operation had ended (${rest.totals.ended}), every webhook had come (${rest.totals.webhooks}), and the audit found nothing.`
      : `At rest: ${rest.findings.join('; ')}.`,
  );
  return lines;
}

function trendLine(what: string, trends: readonly JudgedTrend[]): string {
  const growing = trends.filter(({ flat }) => !flat);
  if (growing.length === 0) return `${what}: flat in all ${trends.length} figures.`;
  const details = growing.map(({ name, unit, trend }) => {
    const [first, last, perHour] = [trend.first, trend.last, trend.perHour].map((value) =>
      value.toPrecision(3),
    );
    return `${name} from ${first} to ${last} ${unit}, ${perHour} ${unit} an hour`;
  });
  return `${what} grows: ${details.join('; ')}. The other ${trends.length - growing.length} figures are flat.`;
}
