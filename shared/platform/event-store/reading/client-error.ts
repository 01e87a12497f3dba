import { convertToCommandError } from '@eventstore/db-client/dist/utils/CommandError.js';

/** A refusal of the store as the official client names it. */
export const asClientError = (error: unknown): Error =>
  error instanceof Error && 'code' in error
    ? convertToCommandError(error)
    : new Error('the event store ended the read', { cause: error });
