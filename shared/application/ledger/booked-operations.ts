import { createDropOldest } from '#shared/platform/drop-oldest.ts';

const maxKnown = 50_000;

/**
 * Operations whose entries are posted: only those that this process checked last.
 */
export class BookedOperations {
  readonly #ids = new Map<string, true>();
  readonly #dropOldest = createDropOldest(this.#ids);

  has(operationId: string): boolean {
    return this.#ids.has(operationId);
  }

  add(operationId: string): void {
    this.#ids.set(operationId, true);
    if (this.#ids.size > maxKnown) this.#dropOldest();
  }
}
