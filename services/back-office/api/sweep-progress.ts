import type { StoredEvent } from '#shared/platform/event-store/index.ts';

/** How far the log was read, and the position before which no work is open. */
export function createSweepProgress(isOpen: (stream: string) => boolean) {
  let position: bigint | undefined;
  /** For each stream with open work, the log's position before its first event. */
  const openedAfter = new Map<string, bigint | undefined>();
  /** Streams that only another version can read: it finds their open work when it starts. */
  const unreadable = new Set<string>();
  const holds = (stream: string) => unreadable.has(stream) || isOpen(stream);

  return {
    position: () => position,
    pass: (to: bigint | undefined) => {
      position = to;
    },
    take: ({ stream, position: at }: StoredEvent, how: 'read' | 'unreadable') => {
      if (how === 'unreadable') unreadable.add(stream);
      if (!holds(stream)) openedAfter.delete(stream);
      else if (!openedAfter.has(stream)) openedAfter.set(stream, position);
      position = at;
    },
    /** Everything before it is finished; undefined while it is the log's start. */
    finished: (): bigint | undefined => {
      let before = position;
      for (const [stream, after] of openedAfter) {
        if (!holds(stream)) openedAfter.delete(stream);
        else if (after === undefined) return undefined;
        else if (before === undefined || after < before) before = after;
      }
      return before;
    },
  };
}
