import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { defaultSizes, type Sizes } from './memory.ts';
import { Owner, type OwnerOptions } from './owner.ts';

export type OwnersOptions = Pick<OwnerOptions, 'store' | 'onBatch'> & {
  /** Monotonic milliseconds. */
  now?: () => number;
  /** How many unused ledgers are cached, and for how long. */
  maxIdleOwners?: number;
  idleMs?: number;
  /** How many entries of each ledger are read at once and remembered; for tests. */
  sizes?: Sizes;
};

const defaultMaxIdleOwners = 512;
const defaultIdleMs = 60_000;

/**
 * The owners of the ledgers that this process has in memory: one for each ledger, made when it is
 * first used.
 */
export class Owners {
  readonly sweepEveryMs: number;
  readonly #common: Omit<OwnerOptions, 'shopId' | 'currency'>;
  readonly #maxIdle: number;
  readonly #idleMs: number;
  /** By their streams, the least recently used first. */
  readonly #byStream = new Map<string, { owner: Owner; usedAt: number }>();

  constructor({ store, onBatch, now = () => performance.now(), ...options }: OwnersOptions) {
    this.#common = { store, now, sizes: options.sizes ?? defaultSizes, onBatch };
    this.#maxIdle = options.maxIdleOwners ?? defaultMaxIdleOwners;
    this.#idleMs = options.idleMs ?? defaultIdleMs;
    this.sweepEveryMs = Math.max(1, this.#idleMs / 4);
  }

  find(stream: string): Owner | undefined {
    return this.#byStream.get(stream)?.owner;
  }

  use(shopId: string, currency: string): Owner {
    const key = ledgerStream(shopId, currency);
    const owner =
      this.#byStream.get(key)?.owner ?? new Owner({ ...this.#common, shopId, currency });
    this.#byStream.delete(key);
    this.#byStream.set(key, { owner, usedAt: this.#common.now() });
    return owner;
  }

  areTooMany(): boolean {
    return this.#byStream.size > this.#maxIdle;
  }

  /** Only idle owners are dropped: a ledger never has two owners in one process. */
  dropIdle(maxChecks = this.#byStream.size): void {
    const unusedSince = this.#common.now() - this.#idleMs;
    let excess = this.#byStream.size - this.#maxIdle;
    let checksLeft = maxChecks;
    for (const [key, { owner, usedAt }] of this.#byStream) {
      if ((excess <= 0 && usedAt > unusedSince) || checksLeft <= 0) return;
      checksLeft -= 1;
      if (!owner.isIdle()) continue;
      this.#byStream.delete(key);
      excess -= 1;
    }
  }

  load(): { owners: number; waiting: number } {
    const waiting = [...this.#byStream.values()].reduce(
      (sum, { owner }) => sum + owner.waiting(),
      0,
    );
    return { owners: this.#byStream.size, waiting };
  }

  /** Resolves once all are idle. */
  async idle(): Promise<void> {
    await Promise.all([...this.#byStream.values()].map(({ owner }) => owner.idle()));
  }
}
