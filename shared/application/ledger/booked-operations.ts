import { LRUCache } from 'lru-cache';

const maxCached = 50_000;

/** Operations whose entries are known to be posted: the last ones that this process checked. */
export class BookedOperations {
  readonly #ids = new LRUCache<string, true>({ max: maxCached });

  has(operationId: string): boolean {
    return this.#ids.has(operationId);
  }

  add(operationId: string): void {
    this.#ids.set(operationId, true);
  }
}
