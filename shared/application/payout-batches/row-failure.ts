import { ZodError } from 'zod';
import { DamagedValue } from '#shared/application/personal-data/sealed-value.ts';
import { isRetryable, Problem } from '#shared/platform/http/problems.ts';

/** Of a damaged row, and of an error in the program. */
const lasting = [DamagedValue, SyntaxError, ZodError, TypeError, RangeError, ReferenceError];

/**
 * Whether the row itself fails, and would again. Everything else may pass, however long it takes: a
 * store that does not answer, an overload, a key that this instance lacks, or an event that only a
 * newer version can read.
 */
export const isLasting = (error: unknown): boolean =>
  error instanceof Problem
    ? error.code === 'internal_error' || !isRetryable(error.code)
    : lasting.some((each) => error instanceof each);

/** An error as it may be logged: its message may quote personal data. */
export function withoutMessage(error: unknown): { error: string; at: string[] } {
  if (!(error instanceof Error)) return { error: typeof error, at: [] };
  const at = (error.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line));
  return { error: error.name, at };
}

/** A row failed, and is tried again. Its cause is not logged: it may quote personal data. */
export class RowFailed extends Error {}
