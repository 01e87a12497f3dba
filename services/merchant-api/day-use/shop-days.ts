import {
  added,
  nothingUsed,
  routeKey,
  utcDay,
  type DailyUse,
} from '#shared/domain/daily-limits.ts';
import type { Route } from '#shared/domain/routing.ts';
import type { DayUseChange } from './changes.ts';

/** What an operation would take of a route's day, reserved by one of its requests. */
type DayReservation = { request: string; operationId: string; amount: string };

/** After this time a reserved operation is in the log, or never will be. */
const reservationMs = 10_000;

/**
 * A shop's use of its routes: by the log, and by operations that this process is about to start.
 */
export class ShopDays {
  /** By day and route. */
  readonly #used = new Map<string, DailyUse>();
  readonly #taken = new Map<string, DayReservation & { key: string; untilMs: number }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A route's use today, reservations included, without one operation. */
  usedBy(route: Route, { operationId: besides }: Pick<DayReservation, 'operationId'>): DailyUse {
    const key = routeKey(route);
    let used =
      this.#used.get(`${utcDay(new Date(this.#now()).toISOString())} ${key}`) ?? nothingUsed;
    // A repeated request and the first one are one operation.
    const counted = new Set([besides]);
    for (const [id, reservation] of this.#taken) {
      if (reservation.untilMs < this.#now()) this.#taken.delete(id);
      else if (reservation.key === key && !counted.has(reservation.operationId)) {
        counted.add(reservation.operationId);
        used = added(used, reservation.amount);
      }
    }
    return used;
  }

  /** Counts an operation before the log has it: the next one of this process sees it. */
  take(route: Route, reservation: DayReservation): void {
    const key = routeKey(route);
    this.#taken.set(`${reservation.request} ${key}`, {
      ...reservation,
      key,
      untilMs: this.#now() + reservationMs,
    });
  }

  /** For a request that began no attempt. */
  release(request: string): void {
    this.#drop((reservation) => reservation.request === request);
  }

  load(day: string, used: ReadonlyMap<string, DailyUse>): void {
    for (const [key, each] of used) this.#used.set(`${day} ${key}`, each);
  }

  apply({ operationId, key, day, amount, times }: DayUseChange): void {
    if (times === 1)
      this.#drop(
        (reservation) => reservation.operationId === operationId && reservation.key === key,
      );
    const id = `${day} ${key}`;
    this.#used.set(id, added(this.#used.get(id) ?? nothingUsed, amount, times));
  }

  #drop(which: (reservation: DayReservation & { key: string }) => boolean): void {
    for (const [id, reservation] of this.#taken) if (which(reservation)) this.#taken.delete(id);
  }

  /** Yesterday is retained, because clocks differ. */
  forgetBefore(day: string): void {
    for (const id of this.#used.keys()) if (id < day) this.#used.delete(id);
  }
}
