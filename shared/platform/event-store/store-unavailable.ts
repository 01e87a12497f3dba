import {
  convertToCommandError,
  isCommandError,
} from '@eventstore/db-client/dist/utils/CommandError.js';
import { ErrorType, StreamDeletedError, UnavailableError } from '@eventstore/db-client';

/** No response from the store: whether it has done the work is unknown. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

const [unknown, deadlineExceeded, internal, unavailable] = [2, 4, 13, 14];

/**
 * Whether an error means that the store was unreachable, so the outcome of the request is unknown.
 */
export function isStoreUnavailable(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return true;
  if (!(error instanceof Error)) return false;
  // Also what the client has recognised as a lost connection whatever its code.
  if (error instanceof UnavailableError) return true;
  const code = 'code' in error ? error.code : undefined;
  if (code === unavailable || code === deadlineExceeded) return true;
  // A stopping server resets its calls. Where no node of a cluster responds, discovery fails.
  return code === internal
    ? /RST_STREAM/.test(error.message)
    : error.message.startsWith('Failed to discover');
}

/** The same without calls that took too long, which a store that is only slow has too. */
export const isConnectionLost = (error: unknown): boolean =>
  isStoreUnavailable(error) &&
  !(error instanceof StoreUnavailable) &&
  !(error instanceof Error && 'code' in error && error.code === deadlineExceeded);

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

/** With these a call ends also where no store has responded. */
const unclear: readonly unknown[] = [
  ErrorType.TIMEOUT,
  ErrorType.DEADLINE_EXCEEDED,
  ErrorType.UNAVAILABLE,
  ErrorType.CANCELLED,
  ErrorType.UNKNOWN,
  ErrorType.NOT_LEADER,
];

/** Whether a store that is reachable has refused the call. */
export const isRefusal = (error: unknown): boolean =>
  isTooSlow(error) ||
  (error instanceof Error && isCommandError(error) && !unclear.includes(error.type));

/**
 * Whether the store refused because the stream was deleted for good
 * (`ErasableEventStore.tombstone`).
 */
export const isStreamDeleted = (error: unknown): boolean => error instanceof StreamDeletedError;

/** How version 23.10 fails a subscription and a read from where no record of its log begins. */
const unknownPosition = /Exception was thrown by handler|Unexpected ReadAllResult/;

export const isUnknownPosition = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === unknown &&
  unknownPosition.test(error.message);

/** A refusal of the store as the official client names it. */
export const asClientError = (error: unknown): Error =>
  error instanceof Error && 'code' in error
    ? convertToCommandError(error)
    : new Error('the event store ended the read', { cause: error });

/** Whether the same read may succeed a moment later. */
export const mayPass = (error: unknown): boolean =>
  isStoreUnavailable(error) ||
  (error instanceof Error &&
    /timeout|timed out|not answered|ended the read|unavailable|cancelled/i.test(error.message));
