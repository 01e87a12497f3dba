import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { connectRawLog, type RawLog } from '#shared/platform/event-store/reading/raw-log.ts';
import { createBatchAppend } from '#shared/platform/event-store/batch-append/batch-append.ts';
import { createAppendCalls } from '#shared/platform/event-store/batch-append/call.ts';
import { encodeCopy, type CopyRequest } from '#shared/platform/event-store/batch-append/encode.ts';
import { parseConnectionString } from '#shared/platform/event-store/connection-string.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import { isStreamDeleted, type ErasableEventStore } from '#shared/platform/event-store/index.ts';

export type MoveLog = CopySource & {
  raw: RawLog;
  /** The same log as the gateway uses it. */
  store: ErasableEventStore;
  /** Whether it accepts the times and positions of another log. */
  asRecorded: boolean;
  /** Whether it refuses appends once it is closed. */
  closable: boolean;
  /** Appends events of another log. @throws when the outcome is not known, or it refuses */
  copy(request: Omit<CopyRequest, 'asRecorded'>): Promise<unknown>;
  /** Deletes the stream of this deletion for good; a repeat changes nothing. */
  tombstone(event: RawEvent): Promise<void>;
  close(): Promise<void>;
};

/** The log that is copied, and the one that it is copied to. */
export type Logs = { source: MoveLog; target: MoveLog };

/** What a copy needs of its source: a store has it, and so has a backup. */
export type CopySource = {
  raw: Pick<RawLog, 'read'>;
  /** Whether a stream was deleted for good. */
  isDeleted(stream: string): Promise<boolean>;
};

export type CopyLogs = { source: CopySource; target: MoveLog };

/** The client's knowledge of its server is private, so the types hide it. */
type Capable = {
  capabilities: Promise<{ supports(method: object, feature: string): boolean }>;
};

const tombstoneDeadlineMs = 10_000;

/** @throws when the store does not answer */
export async function connectLog(url: string): Promise<MoveLog> {
  const client = parseConnectionString(url);
  const raw = connectRawLog(url);
  const store = connectEventStore(url);
  const close = async () =>
    void (await Promise.all([client.dispose(), raw.close(), store.close()]));
  try {
    const { supports } = await (client as unknown as Capable).capabilities;
    const asRecorded = supports(StreamsService.batchAppend, 'as_recorded');
    // A node of an earlier version would write the copy of a deletion, and delete nothing.
    const recordedDeletions = supports(StreamsService.batchAppend, 'recorded_deletions');
    const append = createBatchAppend(createAppendCalls(client), encodeCopy);
    return {
      raw,
      store,
      isDeleted: (stream) => isDeleted(store, stream),
      asRecorded,
      closable: supports(StreamsService.batchAppend, 'closable'),
      copy: (request) => append({ ...request, asRecorded }),
      tombstone: async (event) => {
        const { stream } = event;
        const expectedRevision = 'any';
        // A store that refuses deletions once the copied log is closed there takes the copy of one.
        const deleted = recordedDeletions
          ? append({ stream, expectedRevision, events: [event], asRecorded })
          : client.tombstoneStream(stream, { expectedRevision, deadline: tombstoneDeadlineMs });
        await deleted.catch((error: unknown) => {
          if (!isStreamDeleted(error)) throw error;
        });
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Excludes the servers' own streams, but not the metadata of the gateway's. */
export const isCopied = ({ stream }: Pick<RawEvent, 'stream'>): boolean =>
  !stream.startsWith('$') || /^\$\$[^$]/.test(stream);

export const isTombstone = ({ type }: Pick<RawEvent, 'type'>): boolean => type === '$streamDeleted';

const isDeleted = (store: ErasableEventStore, stream: string): Promise<boolean> =>
  store.read(stream, { maxCount: 1 }).then(
    () => false,
    (error: unknown) => {
      if (isStreamDeleted(error)) return true;
      throw error;
    },
  );

/** The revision of the newest event of a stream, -1 without one. */
export async function readHeadRevision(
  { store }: Pick<MoveLog, 'store'>,
  stream: string,
): Promise<number> {
  const [newest] = await store.read(stream, { direction: 'backwards', maxCount: 1 });
  return newest?.revision ?? -1;
}
