import { LRUCache } from 'lru-cache';

const maxCached = 50_000;

/**
 * Operations whose entries are posted: only those that this process checked last.
 */
export class BookedOperations {
  readonly #ids = new LRUCache<string, true>({ max: maxCached });

  has(operationId: string): boolean {
    return this.#ids.has(operationId);
  }

  add(operationId: string): void {
    this.#ids.set(operationId, true);
  }
}
