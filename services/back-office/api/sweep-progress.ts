import {
  findCheckpoint,
  type EventIdentity,
  type EventStore,
  type StoredEvent,
} from '#shared/platform/event-store/index.ts';
import type { Mark } from './sweep-checkpoints.ts';

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
    begin: (mark: Mark | undefined) => {
      position = mark?.position;
      newest = mark?.newest;
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
    mark: (): Mark | undefined => {
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

/** The mark, if it was set in this log: another log, or an older copy, is read from the start. */
export async function markIn(store: EventStore, mark: Mark | undefined): Promise<Mark | undefined> {
  if (!mark) return undefined;
  const { position, newest } = mark;
  const checkpoint = await findCheckpoint(store, { position, ...(newest && { event: newest }) });
  return checkpoint === 'in_log' ? mark : undefined;
}
