import { isStreamDeleted, isUnknownPosition } from './store-unavailable.ts';
import type { EventIdentity, EventStore, LogFilter, LogItem, StoredEvent } from './types.ts';

/**
 * How far a follower has read the log. A position alone means nothing in another log, or in an
 * older copy, so the event that is there is saved with it. Rows of earlier versions have no event.
 */
export type LogCheckpoint = { position: bigint; event?: EventIdentity };

/** A checkpoint's event as a column of type jsonb holds it. */
export type StoredIdentity = { stream: string; revision: number; id: string; position: string };

export type CheckpointFinding =
  | 'in_log'
  /** The log is an older copy, or a replica of the store that does not have all of it yet. */
  | 'beyond_end'
  /** Another event is there, or none. */
  | 'other_log';

/** What the comparison of a checkpoint with a log reads. */
export type CheckpointReads = Pick<EventStore, 'head' | 'read' | 'readLog'>;

export function checkpointAt({ stream, revision, id, position }: StoredEvent): LogCheckpoint {
  return { position, event: { stream, revision, id, position } };
}

/**
 * The log item for an event that a follower's filter leaves out. Only an event of a lasting stream,
 * which is never deleted or truncated, identifies the position.
 */
export function passedItem(
  event: Pick<StoredEvent, 'stream' | 'revision' | 'id'>,
  position: bigint,
  lasting: readonly string[],
): LogItem {
  const { stream, revision, id } = event;
  return {
    kind: 'checkpoint',
    position,
    ...(hasPrefix(stream, lasting) && { event: { stream, revision, id, position } }),
  };
}

/** Whether a filter leaves the event in. */
export const isWanted = (
  { stream, type }: Pick<StoredEvent, 'stream' | 'type'>,
  filter: LogFilter | undefined,
): boolean =>
  !filter || (!filter.exceptTypes?.includes(type) && hasPrefix(stream, filter.streamPrefixes));

const hasPrefix = (stream: string, prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => stream.startsWith(prefix));

/** The last checkpoint in a batch that has its event: only such a one is saved. */
export function checkpointAfter(batch: readonly LogItem[]): LogCheckpoint | undefined {
  for (const item of batch.toReversed()) {
    if (item.kind === 'event') return checkpointAt(item.event);
    if (item.kind === 'checkpoint' && item.event)
      return { position: item.position, event: item.event };
  }
  return undefined;
}

/**
 * The checkpoint at a position, with the event there; undefined if its stream is not a lasting one,
 * or if no event of the log has that position. @throws when the store does not answer
 */
export async function readCheckpointAt(
  store: Pick<EventStore, 'readLog'>,
  position: bigint,
  lasting: readonly string[],
): Promise<LogCheckpoint | undefined> {
  const { at } = await store.readLog({ after: position, maxCount: 0 });
  return at && hasPrefix(at.stream, lasting) ? checkpointAt(at.read()) : undefined;
}

/**
 * Whether a checkpoint is in this log. One without its event is only compared with the log's end,
 * and with what the store says about its position.
 * @throws when the store does not answer: then it is not known
 */
export async function findCheckpoint(
  store: CheckpointReads,
  { position, event }: LogCheckpoint,
): Promise<CheckpointFinding> {
  // Read before the event: a replica that has reached the position has the event too.
  const end = await store.head();
  const stored = event && (await readEvent(store, event));
  const isOther =
    stored !== undefined &&
    (stored.id !== event?.id || (event.position ?? stored.position) !== stored.position);
  if (isOther) return 'other_log';
  if (position > end) return 'beyond_end';
  if (!event) return (await isPosition(store, position)) ? 'in_log' : 'other_log';
  return stored ? 'in_log' : 'other_log';
}

/** The store refuses to read from where no record begins: an EventStoreDB and the node alike. */
async function isPosition(store: CheckpointReads, position: bigint): Promise<boolean> {
  if (position === 0n) return true;
  try {
    await store.readLog({ after: position, maxCount: 0 });
    return true;
  } catch (error) {
    if (isUnknownPosition(error)) return false;
    throw error;
  }
}

async function readEvent(
  store: Pick<EventStore, 'read'>,
  event: EventIdentity,
): Promise<EventIdentity | undefined> {
  try {
    const { stream, revision } = event;
    return (await store.read(stream, { fromRevision: revision, maxCount: 1 }))[0];
  } catch (error) {
    // The stream was deleted for good, so nothing contradicts it.
    if (isStreamDeleted(error)) return event;
    throw error;
  }
}

/** The checkpoint's event for a jsonb column; null if it has none. */
export function identityToJson({ event }: LogCheckpoint): string | null {
  return event?.position === undefined
    ? null
    : JSON.stringify({ ...event, position: event.position.toString() });
}

/** The checkpoint of a row. An earlier version writes its position without the event. */
export function checkpointFromRow(
  position: string | bigint,
  event: StoredIdentity | null,
): LogCheckpoint {
  return {
    position: BigInt(position),
    ...(event && { event: { ...event, position: BigInt(event.position) } }),
  };
}
