import { z } from 'zod';
import { decoderOf } from '../decode.ts';

/**
 * Where the log is when it moves to another store, all in one stream. Whoever appends goes by its
 * newest event; no money, and no answer, depends on it.
 */
export const logStream = 'log';

export const logEventSchemas = {
  /** No append comes after it but what was on its way: the rest is copied. `to`: the new store. */
  LogClosed: z.object({ to: z.string() }),
  /** The move was given up. */
  LogReopened: z.object({ reason: z.string() }),
  /**
   * The first event that only the new store has: all before it is a copy. `digest`: the hash chain
   * over the events that are kept for good, the same on both sides, and how many these are.
   */
  LogMoved: z.object({ from: z.string(), events: z.int().min(0), digest: z.string() }),
} as const;

export const decodeLogEvent = decoderOf(logEventSchemas, 'log');

/** Whether appends are refused, by the type of the newest event of the stream. */
export const isClosedBy = (newest: string | undefined): boolean => newest === 'LogClosed';
