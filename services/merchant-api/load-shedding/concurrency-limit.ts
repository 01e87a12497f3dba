export const limitBounds = { least: 4, most: 256 } as const;
/** CPU time of a turn, in ms. An operation takes some 15 turns from its create to its webhook. */
export const longestTurnMs = 25;
const shrink = 0.9;
const growth = 0.25;

/**
 * How many creates may be in progress at a time. While turns of the event loop are long, the limit
 * shrinks, so that callbacks, ledger entries and webhooks of earlier operations get more of each
 * turn. It grows while turns are short and creates wait. Additive increase, multiplicative decrease.
 */
export class ConcurrencyLimit {
  #limit: number = limitBounds.most / 4;

  get value(): number {
    return Math.floor(this.#limit);
  }

  /** To be called at each sample of a turn's cost. */
  adapt({ turnMs, waiting }: { turnMs: number; waiting: boolean }): void {
    if (turnMs > longestTurnMs) this.#limit = Math.max(limitBounds.least, this.#limit * shrink);
    else if (waiting) this.#limit = Math.min(limitBounds.most, this.#limit + growth);
  }
}
