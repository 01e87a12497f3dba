export { createAppend } from './append.ts';
export { createReads } from './reads.ts';

/** The client's functions give the client's errors. */
export const asClientError = (error: unknown): Error =>
  error instanceof Error ? error : new Error('the event store ended the read', { cause: error });
