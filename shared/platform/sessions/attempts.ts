import { LRUCache } from 'lru-cache';

type AttemptLimits = {
  windowMs: number;
  /** Refused sign-ins from one address within the window. */
  maxPerAddress: number;
  /** From all of them together. */
  maxInAll: number;
  /** Addresses that are remembered; the oldest is evicted. */
  maxAddresses: number;
};

export const attemptLimits: AttemptLimits = {
  windowMs: 5 * 60_000,
  maxPerAddress: 10,
  maxInAll: 300,
  maxAddresses: 10_000,
};

export type Attempts = {
  /**
   * How long an address has to wait before it may try again, in seconds; undefined if it need not
   * wait.
   */
  waitS(address: string): number | undefined;
  /**
   * The same for the address's own attempts: it refuses even valid sign-ins, so attempts of others
   * must not count.
   */
  ownWaitS(address: string): number | undefined;
  /** Counts a refused sign-in. */
  refused(address: string): void;
};

type Window = { beganAt: number; refused: number };

/**
 * Counts refused sign-ins in fixed windows, so that tokens can't be guessed and the log can't be
 * flooded.
 */
export function createSignInAttempts(limits = attemptLimits, now = () => Date.now()): Attempts {
  const byAddress = new LRUCache<string, Window>({ max: limits.maxAddresses });
  let all: Window = { beganAt: 0, refused: 0 };
  const isOver = ({ beganAt }: Window) => now() - beganAt >= limits.windowMs;
  const next = (window: Window | undefined): Window =>
    window && !isOver(window)
      ? { ...window, refused: window.refused + 1 }
      : { beganAt: now(), refused: 1 };
  const wait = (window: Window | undefined, max: number): number =>
    window && !isOver(window) && window.refused >= max
      ? Math.ceil((window.beganAt + limits.windowMs - now()) / 1_000)
      : 0;

  const addressWait = (address: string) => wait(byAddress.get(address), limits.maxPerAddress);

  return {
    waitS: (address) => Math.max(addressWait(address), wait(all, limits.maxInAll)) || undefined,
    ownWaitS: (address) => addressWait(address) || undefined,
    refused: (address) => {
      all = next(all);
      const window = next(byAddress.get(address));
      byAddress.set(address, window);
    },
  };
}
