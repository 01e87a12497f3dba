import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '#infra/verify/harness/tests/random.ts';

/** A simulated process. Once dead, it gets no answers, and nothing that it sends arrives. */
export type Instance = {
  readonly name: string;
  alive: boolean;
  readonly died: PromiseWithResolvers<undefined>;
  /** Frozen until then: its messages do not move in either direction. */
  stoppedUntilMs: number;
  /** Whom it can't reach, and until when. */
  readonly cutOffUntilMs: Map<string, number>;
};

export const faults = [
  'crash before the call',
  'crash after the call',
  'crash after the answer',
  'request lost',
  'answer lost',
  'request delivered twice',
  'request delivered late',
  'answer delivered late',
  'process stopped for a while',
  'connection cut for a while',
  'other end down for a while',
  'clock set',
] as const;
export type NetworkFault = (typeof faults)[number];
/** Lasting faults are rarer, because little else can happen meanwhile. */
const lasting: readonly [NetworkFault, ...NetworkFault[]] = [
  'process stopped for a while',
  'connection cut for a while',
  'other end down for a while',
];
const passing = faults.filter((fault) => fault !== 'clock set' && !lasting.includes(fault)) as [
  NetworkFault,
  ...NetworkFault[],
];
const ofSessions = passing.filter((fault) => fault !== 'request delivered twice') as [
  NetworkFault,
  ...NetworkFault[],
];
const lastingShare = 0.15;

/**
 * `hangs`: a call without an answer may never settle, so that its caller needs a deadline.
 * `session`: messages of a connection arrive once, or the connection is lost.
 */
type Destination = { name: string; hangs: boolean; session?: boolean };

export type Network = ReturnType<typeof createNetwork>;

type NetworkOptions = {
  random: Random;
  /** The share of calls that meet a fault. */
  faultRate: number;
  crash(instance: Instance): void;
};

const never = <T>() => new Promise<T>(() => undefined);
/** Longer at times than anybody waits. */
const lateMs = { least: 200, most: 15_000 };
/** The longest time until a lost connection is noticed. */
const noticedMs = 2_000;

class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** The temporary partitions, by fault. */
function interrupt(
  fault: NetworkFault | undefined,
  given: { from: Instance; name: string; downUntilMs: Map<string, number>; aWhile(): number },
): void {
  const { from, name, downUntilMs, aWhile } = given;
  const untilMs = () => performance.now() + aWhile();
  if (fault === 'process stopped for a while') from.stoppedUntilMs = untilMs();
  if (fault === 'connection cut for a while') from.cutOffUntilMs.set(name, untilMs());
  if (fault === 'other end down for a while') downUntilMs.set(name, untilMs());
}

/**
 * In a call, `effect` happens at the other end, at some time, once, twice or never, and its answer
 * comes, or not.
 */
export function createNetwork({ random, faultRate, crash }: NetworkOptions) {
  const injected = new Map<NetworkFault, number>();
  /** Stores and providers that do not answer, and until when. */
  const downUntilMs = new Map<string, number>();
  let healed = false;
  let calls = 0;

  /** Counts a fault; called from outside for one that is not of a call. */
  const note = (fault: NetworkFault) => void injected.set(fault, (injected.get(fault) ?? 0) + 1);
  const draw = ({ session = false }: Destination): NetworkFault | undefined => {
    if (healed || !random.chance(faultRate)) return undefined;
    const fault = random.pick(
      random.chance(lastingShare) ? lasting : session ? ofSessions : passing,
    );
    note(fault);
    return fault;
  };
  const aWhile = () => random.between(lateMs.least, lateMs.most);
  const beLate = () => delay(aWhile());
  /** Usually short, sometimes long enough for anything else to happen in between. */
  const travel = async (from: Instance) => {
    await delay(random.chance(0.9) ? random.between(0.05, 3) : random.between(3, 60));
    const stoppedMs = from.stoppedUntilMs - performance.now();
    if (stoppedMs > 0) await delay(stoppedMs);
  };

  return {
    /** How often each fault was injected. */
    injected: injected as ReadonlyMap<NetworkFault, number>,
    note,
    calls: () => calls,
    healed: () => healed,
    /** From now on nothing fails any more. */
    heal: () => {
      healed = true;
    },
    call: async <T>(from: Instance, to: Destination, effect: () => T): Promise<T> => {
      if (!from.alive) return never();
      calls += 1;
      const fault = draw(to);
      const lost = async (): Promise<T> => {
        if (to.hangs && random.chance(0.5)) return never();
        await delay(random.between(0, noticedMs));
        throw new ConnectionLost(to.name);
      };
      const die = () => {
        crash(from);
        return never<T>();
      };
      if (fault === 'crash before the call') return die();
      const { name } = to;
      interrupt(fault, { from, name, downUntilMs, aWhile });
      await travel(from);
      const unreachableMs = Math.max(from.cutOffUntilMs.get(name) ?? 0, downUntilMs.get(name) ?? 0);
      const unreachable = !healed && unreachableMs > performance.now();
      if (fault === 'request lost' || unreachable) return lost();
      if (fault === 'request delivered late') await beLate();
      const answer = settle(effect);
      if (fault === 'request delivered twice') void beLate().then(() => settle(effect));
      if (fault === 'crash after the call') return die();
      if (fault === 'answer lost') return lost();
      if (fault === 'answer delivered late') await beLate();
      await travel(from);
      if (fault === 'crash after the answer') return die();
      if (!from.alive) return never();
      if ('error' in answer) throw answer.error;
      return answer.value;
    },
  };
}

function settle<T>(effect: () => T): { value: T } | { error: unknown } {
  try {
    return { value: effect() };
  } catch (error) {
    return { error };
  }
}
