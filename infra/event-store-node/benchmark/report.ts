import { rateOf, type Load } from '#infra/lab/load/loops.ts';
import { median } from '#infra/verify/harness/statistics.ts';

type Measured = {
  readonly rounds: number;
  readonly loops: ReadonlyMap<string, readonly Load[]>;
  readonly counts: ReadonlyMap<string, readonly number[]>;
  /**
   * Of the node, where it is what was measured: of a store elsewhere nothing of the kind is known.
   */
  readonly node?:
    | { readonly cpuMsPerEvent: readonly number[]; readonly residentBytes: number }
    | undefined;
};

type Report = {
  readonly rounds: number;
  readonly loops: Readonly<Record<string, { perSecond: number; p50Ms: number; p99Ms: number }>>;
  readonly reads: Readonly<Record<string, number>>;
  readonly nodeCpuMicrosecondsPerEvent?: number;
  readonly nodeResidentMegabytes?: number;
};

/** The medians of the rounds. */
export function reportOf({ rounds, loops, counts, node }: Measured): Report {
  return {
    rounds,
    loops: Object.fromEntries(
      [...loops].map(([name, rates]) => [
        name,
        {
          perSecond: Math.round(median(rates.map(rateOf))),
          p50Ms: Number(median(rates.map((rate) => rate.p50Ms)).toFixed(3)),
          p99Ms: Number(median(rates.map((rate) => rate.p99Ms)).toFixed(3)),
        },
      ]),
    ),
    reads: Object.fromEntries(
      [...counts].map(([name, rates]) => [name, Math.round(median(rates))]),
    ),
    ...(node && {
      nodeCpuMicrosecondsPerEvent: Math.round(median(node.cpuMsPerEvent) * 1000),
      nodeResidentMegabytes: Math.round(node.residentBytes / 1024 / 1024),
    }),
  };
}

export function linesOf(report: Report): readonly string[] {
  const lines: string[] = [];
  for (const [name, { perSecond, p50Ms, p99Ms }] of Object.entries(report.loops))
    lines.push(
      `${name.padEnd(40)} ${String(perSecond).padStart(7)}/s  p50 ${p50Ms} ms  p99 ${p99Ms} ms`,
    );
  for (const [name, perSecond] of Object.entries(report.reads))
    lines.push(`${name.padEnd(40)} ${String(perSecond).padStart(7)}/s`);
  const { nodeCpuMicrosecondsPerEvent: cpu, nodeResidentMegabytes: resident } = report;
  if (cpu !== undefined)
    lines.push(`node: ${cpu} us of processor per event at 64 appenders, ${resident} MB resident`);
  return lines;
}
