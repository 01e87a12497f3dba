import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { createPlaces, type Owners, type Place, type Room } from './places.ts';
import { Problem } from './problems.ts';

/** Who a body comes from: a key or an operation, a shop, and the address of the connection. */
export type Sender = 'sender' | 'shop' | 'address';
export type SentBy = Owners<Sender>;

export type ArrivalLimits = {
  /** Bodies that are on their way at a time. */
  room: Room<Sender>;
  /** How long one may take, and longer only as far as it keeps coming. */
  withinMs: number;
  bytesPerS?: number;
};

/**
 * Reads bodies that have not arrived completely: a limited number at a time, each with a deadline.
 */
export type Arrivals = {
  /**
   * `read` tells of each piece that comes. It goes on when it is too late: what it holds is its own
   * to let go.
   * @throws Problem not_ready when too many are on their way; invalid_request when this one takes
   *   too long
   */
  read<T>(
    c: Context,
    sentBy: () => SentBy,
    read: (noteBytes: (count: number) => void) => Promise<T>,
  ): Promise<T>;
};

/** A body of two packets is not slow: it needs no place: those are for slow ones. */
const freeMs = 100;
const checksPerDeadline = 10;

export function createArrivals({ room, withinMs, bytesPerS = Infinity }: ArrivalLimits): Arrivals {
  const places = createPlaces(room);
  return {
    read: async (c, sentBy, read) => {
      // Nearly every body comes with its headers: nothing is waited for.
      if (hasArrived(c)) return read(() => undefined);
      const ended = Promise.withResolvers<never>();
      const beganAt = performance.now();
      let bytes = 0;
      let place: Place | undefined;
      const check = () => {
        try {
          place ??= placeOf(sentBy());
          const allowedMs = withinMs + (bytes / bytesPerS) * 1000;
          if (performance.now() - beganAt >= allowedMs) throw tooSlow();
          timer = setTimeout(check, withinMs / checksPerDeadline);
        } catch (error) {
          ended.reject(error);
        }
      };
      let timer = setTimeout(check, Math.min(freeMs, withinMs));
      try {
        const reading = read((count) => {
          bytes += count;
        });
        return await Promise.race([reading, ended.promise]);
      } finally {
        clearTimeout(timer);
        place?.leave();
      }
    },
  };

  function placeOf(sentBy: SentBy): Place {
    const place = places.enter(sentBy);
    place.take(1);
    return place;
  }
}

/** Whether all of the body is there. Outside of a server, as in tests, nobody knows. */
export function hasArrived(c: Context): boolean {
  return ((c.env ?? {}) as Partial<HttpBindings>).incoming?.complete === true;
}

/** What is still to come of it would be read as the next request. */
function tooSlow(): Problem {
  return new Problem('invalid_request', {
    detail: 'the body took too long to arrive',
    headers: { connection: 'close' },
  });
}
