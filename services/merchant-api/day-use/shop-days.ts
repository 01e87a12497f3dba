import { added, nothingUsed, routeKey, utcDay, type Used } from '#shared/domain/daily-limits.ts';
import type { Route } from '#shared/domain/routing.ts';
import type { Change } from './changes.ts';

/** What an operation would take of a route's day, reserved by one of its requests. */
type Place = { request: string; operationId: string; amount: string };

/** After this time a reserved operation is in the log, or never will be. */
const placeMs = 10_000;

/** How much a shop's routes took: what the log has, and what this process is about to start. */
export class ShopDays {
  /** By day and route. */
  readonly #used = new Map<string, Used>();
  readonly #taken = new Map<string, Place & { key: string; untilMs: number }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** What a route took today and is about to take, without one operation. */
  usedBy(route: Route, { operationId: besides }: Pick<Place, 'operationId'>): Used {
    const key = routeKey(route);
    let used =
      this.#used.get(`${utcDay(new Date(this.#now()).toISOString())} ${key}`) ?? nothingUsed;
    // A repeated request and the first one are one operation.
    const counted = new Set([besides]);
    for (const [id, place] of this.#taken) {
      if (place.untilMs < this.#now()) this.#taken.delete(id);
      else if (place.key === key && !counted.has(place.operationId)) {
        counted.add(place.operationId);
        used = added(used, place.amount);
      }
    }
    return used;
  }

  /** Counts an operation before the log has it: the next one of this process sees it. */
  take(route: Route, place: Place): void {
    const key = routeKey(route);
    this.#taken.set(`${place.request} ${key}`, { ...place, key, untilMs: this.#now() + placeMs });
  }

  /** For a request that began no attempt. */
  release(request: string): void {
    this.#drop((place) => place.request === request);
  }

  load(day: string, used: ReadonlyMap<string, Used>): void {
    for (const [key, each] of used) this.#used.set(`${day} ${key}`, each);
  }

  apply({ operationId, key, day, amount, times }: Change): void {
    if (times === 1) this.#drop((place) => place.operationId === operationId && place.key === key);
    const id = `${day} ${key}`;
    this.#used.set(id, added(this.#used.get(id) ?? nothingUsed, amount, times));
  }

  #drop(which: (place: Place & { key: string }) => boolean): void {
    for (const [id, place] of this.#taken) if (which(place)) this.#taken.delete(id);
  }

  /** Yesterday is retained, because clocks differ. */
  forgetBefore(day: string): void {
    for (const id of this.#used.keys()) if (id < day) this.#used.delete(id);
  }
}
