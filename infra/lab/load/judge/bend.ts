import { computeSlope, type Point } from './trend.ts';

/** A step, without the seconds of settling. */
export type StepFigures = {
  /** The requested rate, in requests a second. */
  readonly rate: number;
  readonly seconds: number;
  /** Requests that became due, and those that were answered (but for 5xx and 429). */
  readonly due: number;
  readonly answered: number;
  /** Creates that were answered. */
  readonly created: number;
  readonly createsP99Ms: number;
  /** By the second. */
  readonly open: readonly Point[];
  readonly projectionLagS: readonly Point[];
  readonly webhookAgeS: readonly Point[];
};

/** Where the figures bend. */
const bendLimits = {
  /** The least share of due requests that are answered in the same time. */
  answeredShare: 0.95,
  /**
   * The limit of the p99 of creates, in multiples of the least one of the first three steps, which
   * counts as this many ms at least.
   */
  createsP99Times: 10,
  createsP99LeastMs: 25,
  /**
   * The limit of operations that remain open at the end of a step: a share of those begun, or a
   * number, whichever is more.
   */
  openShare: 0.05,
  openLeast: 50,
  /** How much a lag may grow during a step, as a share of the step, or in seconds. */
  lagShare: 0.05,
  lagLeastS: 1,
} as const;

/** The base of the limit for the p99 of creates. */
export function usualP99Ms(steps: readonly Pick<StepFigures, 'createsP99Ms'>[]): number {
  const first = steps.slice(0, 3).map(({ createsP99Ms }) => createsP99Ms);
  return Math.max(bendLimits.createsP99LeastMs, Math.min(...first));
}

/** The reason why a step bends; undefined if it holds. */
export function bendsIn(step: StepFigures, usualMs: number): string[] {
  const { due, answered, created, createsP99Ms, seconds } = step;
  const reasons: string[] = [];
  const share = due === 0 ? 1 : answered / due;
  if (share < bendLimits.answeredShare)
    reasons.push(`${(share * 100).toFixed(1)} % of the requests that became due were answered`);
  if (createsP99Ms > bendLimits.createsP99Times * usualMs)
    reasons.push(
      `p99 of creates was ${createsP99Ms.toFixed(0)} ms, with few requests ${usualMs.toFixed(0)} ms`,
    );
  const moreOpen = computeGain(step.open, seconds);
  if (moreOpen > Math.max(bendLimits.openLeast, bendLimits.openShare * created))
    reasons.push(
      `of ${created} operations that began, ${moreOpen.toFixed(0)} more were open at the end`,
    );
  const lags = { 'read models were': step.projectionLagS, 'webhooks were': step.webhookAgeS };
  for (const [what, points] of Object.entries(lags)) {
    const gain = computeGain(points, seconds);
    if (gain > Math.max(bendLimits.lagLeastS, bendLimits.lagShare * seconds))
      reasons.push(`${what} ${gain.toFixed(1)} s later at the end than at the beginning`);
  }
  const unknown = step.projectionLagS.filter(([, lagS]) => Number.isNaN(lagS)).length;
  if (unknown > step.projectionLagS.length / 2)
    reasons.push(
      `for ${unknown} s of ${step.projectionLagS.length} nothing could show how late read models were`,
    );
  return reasons;
}

/** Fewer show no slope. */
const leastPoints = 4;

/** The growth of a figure in that time, by its slope. */
function computeGain(points: readonly Point[], seconds: number): number {
  const known = points.filter(([, value]) => Number.isFinite(value));
  return known.length < leastPoints ? 0 : computeSlope(known) * seconds;
}
