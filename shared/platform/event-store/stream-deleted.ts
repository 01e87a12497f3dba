import { StreamDeletedError } from '@eventstore/db-client';

/**
 * Whether the store refused because the stream was deleted for good
 * (`ErasableEventStore.tombstone`).
 */
export const isStreamDeleted = (error: unknown): boolean => error instanceof StreamDeletedError;
