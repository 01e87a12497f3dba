import { convertToCommandError } from '@eventstore/db-client/dist/utils/CommandError.js';

/** A refusal of the store as the official client names it. */
export const asClientError = (error: unknown): Error =>
  error instanceof Error && 'code' in error
    ? convertToCommandError(error)
    : new Error('the event store ended the read', { cause: error });

const aborted = 10;

/** 23.10 ends a live subscriber that more than 32 events wait for; it may come back at once, from where it was. */
export const isTooSlow = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === aborted &&
  error.message.includes('Consumer too slow');
