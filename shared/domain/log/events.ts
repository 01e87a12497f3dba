import { z } from 'zod';
import { decoderOf } from '../decode.ts';

/**
 * The move of the log to another store, all in one stream. Appenders go by its newest event; no
 * money and no answer depends on it.
 */
export const logStream = 'log';

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
} as const;

export const decodeLogEvent = decoderOf(logEventSchemas, 'log');

/** Whether appends are refused, by the type of the newest event of the stream. */
export const isClosedBy = (newest: string | undefined): boolean => newest === 'LogClosed';
