import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { createSlots, type SlotOwners, type Capacity, type CapacitySlot } from './slots.ts';
import { Problem } from './problems.ts';

export type IncomingBodyLimits<Kind extends string> = {
  /** The number of slow bodies at a time. */
  capacity: Capacity<Kind>;
  /** How long a body may take, with an extension for the bytes received. */
  withinMs: number;
  bytesPerS?: number;
};

/**
 * Reads bodies that are not yet complete: a limited number at a time, each with a deadline.
 */
export type IncomingBodies<Kind extends string> = {
  /**
   * `read` reports the bytes of each chunk. It continues after the deadline, and must release its
   * own resources.
   * @throws Problem not_ready when too many bodies are in progress; invalid_request when this one
   *   takes too long
   */
  read<T>(
    c: Context,
    sentBy: () => SlotOwners<Kind>,
    read: (noteBytes: (count: number) => void) => Promise<T>,
  ): Promise<T>;
};

/** Short bodies bypass the slow-body limit. */
const freeMs = 100;
const checksPerDeadline = 10;

export function createIncomingBodies<Kind extends string>({
  capacity,
  withinMs,
  bytesPerS = Infinity,
}: IncomingBodyLimits<Kind>): IncomingBodies<Kind> {
  const slots = createSlots(capacity);
  return {
    read: async (c, sentBy, read) => {
      // Nearly every body is received with its headers.
      if (isBodyComplete(c)) return read(() => undefined);
      const ended = Promise.withResolvers<never>();
      const beganAt = performance.now();
      let bytes = 0;
      let slot: CapacitySlot | undefined;
      const check = () => {
        try {
          slot ??= openSlot(sentBy());
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
        slot?.release();
      }
    },
  };

  function openSlot(sentBy: SlotOwners<Kind>): CapacitySlot {
    const slot = slots.open(sentBy);
    slot.acquire(1);
    return slot;
  }
}

/** Whether the whole body was received. Outside of a server, as in tests, it is unknown. */
export function isBodyComplete(c: Context): boolean {
  return ((c.env ?? {}) as Partial<HttpBindings>).incoming?.complete === true;
}

/** The connection must close: the rest of the body would be read as the next request. */
function tooSlow(): Problem {
  return new Problem('invalid_request', {
    detail: 'the body took too long to arrive',
    headers: { connection: 'close' },
  });
}
