import { setTimeout as delay } from 'node:timers/promises';
import type { DayUse as DayRead } from '#projections/operations/day-use.ts';
import { utcDay } from '#shared/domain/daily-limits.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { DayUseChange } from './changes.ts';
import { ShopDays } from './shop-days.ts';

export type ReadingOptions = {
  /** From the read models. */
  read(shopId: string, day: string): Promise<DayRead>;
  /** Called with the operations that are in progress. */
  addOpen(open: DayRead['open'], position: bigint): void;
  logger: Pick<Logger, 'warn'>;
  now(): number;
  signal: AbortSignal;
};

/** The pause after a failed read. */
const pauseMs = 1_000;
/** How long the read models may be behind the log. */
const behindMs = 5_000;

/** A shop's days: read once from the read models, then updated from the log. */
export class ShopReading {
  readonly days: ShopDays;
  /** The log position of the read models when they were read. */
  #readTo: bigint | undefined;
  readonly #shopId: string;
  readonly #options: ReadingOptions;
  #reading: Promise<void> | undefined;
  /** Changes since the reading began. */
  #meanwhile: DayUseChange[] = [];
  #notBeforeMs = 0;

  constructor(shopId: string, options: ReadingOptions) {
    this.#shopId = shopId;
    this.#options = options;
    this.days = new ShopDays(options.now);
  }

  get isRead(): boolean {
    return this.#readTo !== undefined;
  }

  /** Applies a change from the log, unless the read models had it already. */
  apply(change: DayUseChange): void {
    if (this.#readTo === undefined) {
      if (this.#reading) this.#meanwhile.push(change);
    } else if (change.position > this.#readTo) this.days.apply(change);
  }

  /**
   * Resolves when the day is read, or could not be. `followedTo`: how far the log is followed;
   * undefined until its start is known.
   */
  async read(followedTo: () => bigint | undefined): Promise<void> {
    const { logger, now, signal } = this.#options;
    if (this.isRead || now() < this.#notBeforeMs) return;
    this.#reading ??= this.#read(followedTo)
      .catch((err: unknown) => {
        this.#notBeforeMs = now() + pauseMs;
        if (!signal.aborted)
          logger.warn(
            { err, shopId: this.#shopId },
            "today's usage of the shop's routes could not be read",
          );
      })
      .finally(() => {
        this.#reading = undefined;
      });
    await this.#reading;
  }

  /** Waits until the read models have everything that the log had at the start. */
  async #read(followedTo: () => bigint | undefined): Promise<void> {
    const { read, addOpen, now, signal } = this.#options;
    this.#meanwhile = [];
    let since: bigint | undefined;
    for (
      const giveUpMs = now() + behindMs;
      now() <= giveUpMs;
      await delay(50, undefined, { signal })
    ) {
      since ??= followedTo();
      const day = utcDay(new Date(now()).toISOString());
      const { at, used, open } = await read(this.#shopId, day);
      const { position } = at;
      if (since === undefined || position < since) continue;
      this.days.load(day, used);
      addOpen(open, position);
      this.#readTo = position;
      for (const change of this.#meanwhile) this.apply(change);
      this.#meanwhile = [];
      return;
    }
    throw new Error('the read models are behind the log');
  }
}
