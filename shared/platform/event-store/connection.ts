import type { EventStoreDBClient } from '@eventstore/db-client';
import { createAppendCalls, type AppendCalls } from './batch-append/call.ts';
import { createReads, type OpenRead } from './reading/open.ts';

/** The calls of the EventStoreDB protocol that the gateway uses, over any transport. */
export type StoreConnection = {
  read: OpenRead;
  appendCalls: AppendCalls;
  /** @throws the client's error for a refusal, or an error for a missing answer */
  tombstone(stream: string, deadlineMs: number): Promise<unknown>;
  close(): Promise<void>;
};

/** Over the official client's connection. */
export function clientConnection(client: EventStoreDBClient): StoreConnection {
  return {
    read: createReads(client),
    appendCalls: createAppendCalls(client),
    tombstone: (stream, deadline) =>
      client.tombstoneStream(stream, { expectedRevision: 'any', deadline }),
    close: () => client.dispose(),
  };
}
