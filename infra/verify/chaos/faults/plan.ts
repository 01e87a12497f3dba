import { links, type LinkName } from '#infra/verify/harness/stacks/proxied-stack.ts';
import type { Random } from '#infra/verify/harness/tests/random.ts';

const single = ['event-store', 'postgres', 'nats', 'sandbox-provider'];
const several = [
  'merchant-api',
  'processor',
  'webhooks',
  'projections',
  'admin',
  'payment-page',
  'portal',
];

/** The processes of a stack with this many instances, each of which can be killed or frozen. */
export const processNames = (instances: number): string[] => [
  ...single,
  ...several.flatMap((name) =>
    Array.from({ length: instances }, (_, index) => (index === 0 ? name : `${name}-${index + 1}`)),
  ),
];

export type ChaosFault =
  | { readonly what: 'kill'; readonly process: string }
  | { readonly what: 'freeze'; readonly process: string; readonly forMs: number }
  | { readonly what: 'cut'; readonly link: LinkName }
  | { readonly what: 'stall'; readonly link: LinkName; readonly forMs: number }
  | {
      readonly what: 'slow';
      readonly link: LinkName;
      readonly delayMs: number;
      readonly forMs: number;
    };

/** `atMs` counts from the start of the load. */
export type PlannedFault = ChaosFault & { readonly atMs: number };

/** The default pause between kills. */
export const usualPaceMs = 3_000;
const longestMs = 6_000;
/** Longer than the supervisor tolerates a frozen process. */
const untilKilledMs = 30_000;
/** A run that is long enough for that. */
const longRunMs = 120_000;

/**
 * The faults of a run of `forMs`, in order: kills on one track and everything else on another, so
 * that they sometimes overlap. Every target is hit before any is hit twice.
 */
export function planFaults(
  random: Random,
  { forMs, instances, paceMs: wantedMs }: { forMs: number; instances: number; paceMs: number },
): PlannedFault[] {
  const processes = processNames(instances);
  const anyProcess = () => processes[random.below(processes.length)] ?? 'merchant-api';
  // However short the run is, every process is killed once.
  const paceMs = Math.min(wantedMs, forMs / (processes.length + 2));
  const most = Math.min(longestMs, 3 * paceMs);
  const long = () => Math.round(random.between(most / 20, most));
  const kills = deck(random, () =>
    processes.map((process): ChaosFault => ({ what: 'kill', process })),
  );
  const others = deck(random, () => [
    ...processes.map((process): ChaosFault => ({ what: 'freeze', process, forMs: long() })),
    ...links.flatMap((link): ChaosFault[] => [
      { what: 'cut', link },
      { what: 'stall', link, forMs: long() },
      { what: 'slow', link, delayMs: 10 + random.below(200), forMs: long() },
    ]),
    ...(forMs >= longRunMs
      ? [{ what: 'freeze', process: anyProcess(), forMs: untilKilledMs } as const]
      : []),
  ]);
  const slots = Array.from({ length: Math.floor(forMs / paceMs) }, (_, slot) => slot);
  return slots
    .flatMap((slot) =>
      [kills(), others()].map((fault) => ({
        ...fault,
        atMs: Math.round((slot + random.next()) * paceMs),
      })),
    )
    .toSorted((left, right) => left.atMs - right.atMs);
}

/** Kills of one process alone, one in each pace. */
export const planKills = (
  random: Random,
  { process, forMs, paceMs }: { process: string; forMs: number; paceMs: number },
): PlannedFault[] =>
  Array.from({ length: Math.floor(forMs / paceMs) }, (_, slot) => ({
    what: 'kill',
    process,
    atMs: Math.round((slot + random.next()) * paceMs),
  }));

/** Returns every card of a shuffled deck, then those of the next. */
function deck<T>(random: Random, cards: () => T[]): () => T {
  let left: T[] = [];
  return () => {
    if (left.length === 0) left = random.shuffled(cards());
    const card = left.pop();
    if (card === undefined) throw new Error('a deck has cards');
    return card;
  };
}

/** A fault in the report: its kind and its target. */
export const faultName = (fault: ChaosFault): string =>
  `${fault.what} ${'process' in fault ? fault.process : `link to ${fault.link}`}`;
