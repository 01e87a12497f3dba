import { EventStoreDBClient } from '@eventstore/db-client';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { LogEvent } from '#services/audit/log/log-event.ts';
import { connectRawLog, type RawLog } from '#services/audit/log/read-log.ts';
import { createBatchAppend } from '#shared/platform/event-store/batch-append/batch-append.ts';
import { encodeCopy, type CopyRequest } from '#shared/platform/event-store/batch-append/encode.ts';
import { connectEventStore } from '#shared/platform/event-store/index.ts';
import { isStreamDeleted } from '#shared/platform/event-store/stream-deleted.ts';

/** The log that is copied, and the one that it is copied to. */
export type Logs = { source: Source; target: Target };

export type Source = {
  log: RawLog;
  /** Whether a stream was deleted for good. */
  isDeleted(stream: string): Promise<boolean>;
  close(): Promise<void>;
};

export type Target = {
  log: RawLog;
  /** It takes times and positions as they were: an embedded store does. */
  asRecorded: boolean;
  /** @throws when the outcome is not known, or the store refuses */
  append(request: Omit<CopyRequest, 'asRecorded'>): Promise<unknown>;
  /** Deletes a stream for good; a repeat changes nothing. */
  tombstone(stream: string): Promise<void>;
  /** The revision of the newest event of a stream, -1 without one. */
  head(stream: string): Promise<number>;
  close(): Promise<void>;
};

export function connectSource(url: string): Source {
  const log = connectRawLog(url);
  const store = connectEventStore(url);
  return {
    log,
    isDeleted: (stream) =>
      store.read(stream, { maxCount: 1 }).then(
        () => false,
        (error: unknown) => {
          if (isStreamDeleted(error)) return true;
          throw error;
        },
      ),
    close: async () => void (await Promise.all([log.close(), store.close()])),
  };
}

/** What the client knows of its server is for its own use, so the types hide it. */
type Capable = {
  capabilities: Promise<{ supports(method: object, feature: string): boolean }>;
};

/** @throws when the store does not answer */
export async function connectTarget(url: string): Promise<Target> {
  const client = EventStoreDBClient.connectionString(url);
  const log = connectRawLog(url);
  const store = connectEventStore(url);
  const close = async () =>
    void (await Promise.all([client.dispose(), log.close(), store.close()]));
  try {
    const capabilities = await (client as unknown as Capable).capabilities;
    const asRecorded = capabilities.supports(StreamsService.batchAppend, 'as_recorded');
    const append = createBatchAppend(client, encodeCopy);
    return {
      log,
      asRecorded,
      append: (request) => append({ ...request, asRecorded }),
      tombstone: (stream) => store.tombstone(stream),
      head: async (stream) => {
        const [newest] = await store.read(stream, { direction: 'backwards', maxCount: 1 });
        return newest?.revision ?? -1;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Not the servers' own streams; but the metadata of the gateway's. */
export const isCopied = ({ stream }: Pick<LogEvent, 'stream'>): boolean =>
  !stream.startsWith('$') || /^\$\$[^$]/.test(stream);

export const isTombstone = ({ type }: Pick<LogEvent, 'type'>): boolean => type === '$streamDeleted';
