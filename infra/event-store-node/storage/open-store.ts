import { createStreamReader } from '../streams/stream-reader.ts';
import { createLiveEvents } from '../subscriptions/live-events.ts';
import { openNodeDatabase } from './database.ts';
import { createEventLog } from './event-log.ts';
import { LogWriter, warmUp } from './log-writer.ts';
import { createScavenger } from './scavenge.ts';
import { createRecentIds } from './recent-ids.ts';
import { StreamDirectory } from './stream-directory.ts';
import { WriteQueue } from './write-queue.ts';

const RECENT_IDS = 32_768;
const STREAMS_IN_MEMORY = 20_000;
const SCAVENGE_HISTORY = '{"$maxAge":2592000}';

export type NodeStore = ReturnType<typeof openStore>;

/**
 * Opens the log in `directory`, and creates its readers and writers. `onFatal` is called when the
 * disk fails, `onRefused` when it is full. Throws `StorageUnavailableError`.
 */
export function openStore(
  directory: string,
  {
    onFatal,
    onRefused,
  }: { onFatal: (error: unknown) => void; onRefused: (error: unknown) => void },
) {
  const database = openNodeDatabase(directory);
  const scavenger = createScavenger(database);
  let forgotten = false;
  const log = createEventLog(database);
  const streams = new StreamDirectory(log, STREAMS_IN_MEMORY);
  const recentIds = createRecentIds(RECENT_IDS);
  const isNew = log.end() === undefined;
  const writer = new LogWriter({ log, streams, recentIds });
  warmUp(log, recentIds, writer.end());

  // Each start leaves a record, as on the real server; a fresh log has one more, which is visible
  // in $all.
  log.begin();
  const epoch = { startedAt: new Date().toISOString() };
  writer.insertNodeEvent(
    '$epoch-information',
    '$epoch-information',
    Buffer.from(JSON.stringify(epoch)),
  );
  if (isNew) writer.insertNodeEvent('$$$scavenges', '$metadata', Buffer.from(SCAVENGE_HISTORY));
  log.commit();
  writer.takeWritten();

  const live = createLiveEvents();
  const writes = new WriteQueue({
    transactions: log,
    writer,
    onWritten: live.publish,
    onFatal,
    onRefused,
  });
  return {
    log,
    live,
    writes,
    reader: createStreamReader(log, streams),
    logEnd: () => writer.end(),
    /**
     * Overwrites the records that were deleted for good since the last time. @throws when the disk
     * is full, or fails
     */
    scavenge: () => {
      // The first time in any case: an earlier process may have died after it overwrote, and before
      // it emptied the write-ahead log.
      if (scavenger.overwrite() === 0 && forgotten) return;
      scavenger.forget();
      forgotten = true;
    },
    close: () => database.close(),
  };
}
