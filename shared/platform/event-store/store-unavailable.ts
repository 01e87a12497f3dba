import { convertToCommandError } from '@eventstore/db-client/dist/utils/CommandError.js';
import { StreamDeletedError } from '@eventstore/db-client';

/** No response from the store: whether it has done the work is unknown. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

const [deadlineExceeded, internal, unavailable] = [4, 13, 14];

/**
 * Whether an error means that the store was unreachable, so the outcome of the request is unknown.
 */
export function isStoreUnavailable(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return true;
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  if (code === unavailable || code === deadlineExceeded) return true;
  // A stopping server resets its calls. Where no node of a cluster responds, discovery fails.
  return code === internal
    ? /RST_STREAM/.test(error.message)
    : error.message.startsWith('Failed to discover');
}

const aborted = 10;

/**
 * Version 23.10 ends a live subscriber that is more than 32 events behind. It may resubscribe
 * at once, from its position.
 */
export const isTooSlow = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === aborted &&
  error.message.includes('Consumer too slow');

/**
 * Whether the store refused because the stream was deleted for good
 * (`ErasableEventStore.tombstone`).
 */
export const isStreamDeleted = (error: unknown): boolean => error instanceof StreamDeletedError;

/** A refusal of the store as the official client names it. */
export const asClientError = (error: unknown): Error =>
  error instanceof Error && 'code' in error
    ? convertToCommandError(error)
    : new Error('the event store ended the read', { cause: error });
