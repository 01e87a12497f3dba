import { EventStoreDBClient } from '@eventstore/db-client';
import { onTestFinished } from 'vitest';
import { createBatchAppend } from '#shared/platform/event-store/batch-append/batch-append.ts';
import { createAppendCalls } from '#shared/platform/event-store/batch-append/call.ts';
import { encodeCopy } from '#shared/platform/event-store/batch-append/encode.ts';
import { connectLog, type MoveLog } from '../logs.ts';

/** The log of a store without the node's own features, like an EventStoreDB. */
export async function usePlainLog(url: string): Promise<MoveLog> {
  const log = await connectLog(url);
  const client = EventStoreDBClient.connectionString(url);
  const append = createBatchAppend(createAppendCalls(client), encodeCopy);
  onTestFinished(async () => {
    await Promise.all([log.close(), client.dispose()]);
  });
  return {
    ...log,
    asRecorded: false,
    closable: false,
    copy: (copied) => append({ ...copied, asRecorded: false }),
    tombstone: async ({ stream }) => {
      await client.tombstoneStream(stream, { expectedRevision: 'any' });
    },
  };
}
