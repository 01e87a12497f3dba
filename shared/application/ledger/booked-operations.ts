import { createDropOldest } from '#shared/platform/drop-oldest.ts';

const maxKnown = 50_000;

/**
 * Operations that have ended and whose entries need no check: they are posted, or were left to the
 * processor long ago. Only the newest such operations that this process knows.
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
