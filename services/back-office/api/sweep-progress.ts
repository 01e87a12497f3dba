import {
  findCheckpoint,
  type EventIdentity,
  type EventStore,
  type StoredEvent,
} from '#shared/platform/event-store/index.ts';
import type { SweepCheckpoint } from './sweep-checkpoints.ts';

/** How far the log was read, and the position before which no work is open. */
export function createProgress(isOpen: (stream: string) => boolean) {
  let position: bigint | undefined;
  let newest: EventIdentity | undefined;
  /** For each stream with open work, the log's position before its first event. */
  const openedAfter = new Map<string, bigint | undefined>();
  /** Streams that only another version can read: it finds their open work when it starts. */
  const unreadable = new Set<string>();
  const holds = (stream: string) => unreadable.has(stream) || isOpen(stream);

  return {
    position: () => position,
    begin: (checkpoint: SweepCheckpoint | undefined) => {
      position = checkpoint?.position;
      newest = checkpoint?.newest;
    },
    pass: (to: bigint) => {
      position = to;
    },
    take: ({ stream, revision, id, position: at }: StoredEvent, how: 'read' | 'unreadable') => {
      if (how === 'unreadable') unreadable.add(stream);
      if (!holds(stream)) openedAfter.delete(stream);
      else if (!openedAfter.has(stream)) openedAfter.set(stream, position);
      position = at;
      newest = { stream, revision, id };
    },
    /** Undefined while it is the log's start. */
    checkpoint: (): SweepCheckpoint | undefined => {
      let before = position;
      for (const [stream, after] of openedAfter) {
        if (!holds(stream)) openedAfter.delete(stream);
        else if (after === undefined) return undefined;
        else if (before === undefined || after < before) before = after;
      }
      return before === undefined ? undefined : { position: before, newest };
    },
  };
}

/** The checkpoint, if it is of this log: another log, or an older copy, is read from the start. */
export async function checkpointIn(
  store: EventStore,
  checkpoint: SweepCheckpoint | undefined,
): Promise<SweepCheckpoint | undefined> {
  if (!checkpoint) return undefined;
  const { position, newest } = checkpoint;
  const found = await findCheckpoint(store, { position, ...(newest && { event: newest }) });
  return found === 'in_log' ? checkpoint : undefined;
}
