import { z } from 'zod';
import { createDecoder } from '../decode.ts';

/**
 * The move of the log to another store, all in one stream. Appenders go by its newest event; no
 * money and no answer depends on it.
 */
export const logStream = 'log';

/**
 * Since when which of the keys that all services share sign, all in one stream. It is the position
 * of an event in the log that counts, because only the store sets it.
 */
export const logKeysStream = 'log-keys';

export const logEventSchemas = {
  /** Only appends in flight come after it, and are copied. `to`: the new store. */
  LogClosed: z.object({ to: z.string() }),
  /** The move was given up. */
  LogReopened: z.object({ reason: z.string() }),
  /**
   * The first event that only the new store has: all events before it are copies. `digest`: the
   * hash chain over the events that are retained for good, equal on both sides, and their number.
   */
  LogMoved: z.object({ from: z.string(), events: z.int().min(0), digest: z.string() }),
  /** Programs begin to sign with this key, while others may still sign with the one before it. */
  LogKeyBegan: z.object({ key_id: z.string() }),
  /** From here on every event is signed with this key, or with one that began after it. */
  LogKeyRequired: z.object({ key_id: z.string() }),
} as const;

export const decodeLogEvent = createDecoder(logEventSchemas, 'log');

/** Whether appends are refused, by the type of the newest event of the stream. */
export const isClosedBy = (newest: string | undefined): boolean => newest === 'LogClosed';
