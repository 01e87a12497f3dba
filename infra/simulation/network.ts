import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '#infra/testing/random.ts';

/** A process as the simulation has it. Once dead nothing that it sent is answered, and nothing that it sends arrives. */
export type Instance = {
  readonly name: string;
  alive: boolean;
  readonly died: PromiseWithResolvers<undefined>;
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
] as const;
export type Fault = (typeof faults)[number];

export type Network = {
  /**
   * A call over the network: `effect` happens at its other end, at some time, once, twice or never, and its answer
   * comes, or not. `hangs`: where nothing comes back it may never settle, and whoever waits needs a deadline of their
   * own; else the connection is known to be lost after a while.
   */
  call<T>(from: Instance, to: { name: string; hangs: boolean }, effect: () => T): Promise<T>;
  /** How often each fault was injected. */
  injected: ReadonlyMap<Fault, number>;
  calls(): number;
  /** From now on nothing fails any more. */
  heal(): void;
};

export type NetworkOptions = {
  random: Random;
  /** The share of calls that meet a fault. */
  faultRate: number;
  crash(instance: Instance): void;
};

const never = <T>() => new Promise<T>(() => undefined);
const lateMs = { least: 200, most: 12_000 };
/** How long it takes at most until a lost connection is noticed. */
const noticedMs = 2_000;

class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

export function createNetwork({ random, faultRate, crash }: NetworkOptions): Network {
  const injected = new Map<Fault, number>();
  let healed = false;
  let calls = 0;

  const draw = (): Fault | undefined => {
    if (healed || !random.chance(faultRate)) return undefined;
    const fault = random.pick(faults);
    injected.set(fault, (injected.get(fault) ?? 0) + 1);
    return fault;
  };
  /** Mostly a moment, now and then long enough for anything else to happen in between. */
  const travel = () => delay(random.chance(0.9) ? random.between(0.05, 3) : random.between(3, 60));
  const beLate = () => delay(random.between(lateMs.least, lateMs.most));

  return {
    injected,
    calls: () => calls,
    heal: () => {
      healed = true;
    },
    call: async <T>(from: Instance, to: { name: string; hangs: boolean }, effect: () => T): Promise<T> => {
      if (!from.alive) return never();
      calls += 1;
      const fault = draw();
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
      await travel();
      if (fault === 'request lost') return lost();
      if (fault === 'request delivered late') await beLate();
      const answer = settledOf(effect);
      if (fault === 'request delivered twice') void beLate().then(() => settledOf(effect));
      if (fault === 'crash after the call') return die();
      if (fault === 'answer lost') return lost();
      if (fault === 'answer delivered late') await beLate();
      await travel();
      if (fault === 'crash after the answer') return die();
      if (!from.alive) return never();
      if ('error' in answer) throw answer.error;
      return answer.value;
    },
  };
}

function settledOf<T>(effect: () => T): { value: T } | { error: unknown } {
  try {
    return { value: effect() };
  } catch (error) {
    return { error };
  }
}
