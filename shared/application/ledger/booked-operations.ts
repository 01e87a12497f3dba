import { createDropOldest } from '#shared/platform/drop-oldest.ts';

const maxKnown = 50_000;

/**
 * Operations that have ended and that nobody has to check the books for: what their end owes is
 * posted, or was left to the processor long ago. The newest that this process knows of.
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
