import type { Kysely } from 'kysely';
import { checkpointAt, type EventStore } from '#shared/platform/event-store/index.ts';
import type { Progress } from '#shared/platform/progress.ts';
import { applyEvents } from '../runner/apply.ts';
import { readCheckpoint, type ProjectionTarget } from '../runner/checkpoint.ts';

type ReplayOptions = {
  db: Kysely<unknown>;
  store: EventStore;
  target: ProjectionTarget;
  /** The last position to apply; by default the end of the log. */
  until?: bigint;
  onProgress?(progress: Progress): void;
};

const maxBatch = 2_000;

/** Applies the events after the target's checkpoint, up to and including `until`. */
export async function replay({
  db,
  store,
  target,
  until,
  onProgress,
}: ReplayOptions): Promise<void> {
  const { model } = target;
  let position = (await readCheckpoint(db, target))?.at?.position;
  if (until !== undefined && position !== undefined && position >= until) return;
  const end = until ?? (await store.head());
  const done = new AbortController();
  let events = 0;
  for await (const batch of store.subscribe({
    ...(position !== undefined && { after: position }),
    filter: { streamPrefixes: model.streamPrefixes },
    maxBatch,
    signal: done.signal,
  })) {
    const stored = batch.flatMap((item) => (item.kind === 'event' ? [item.event] : []));
    const wanted = until === undefined ? stored : stored.filter((event) => event.position <= until);
    const last = wanted.at(-1);
    if (last) {
      await applyEvents(db, target, {
        from: position,
        events: wanted,
        to: checkpointAt(last),
        onMoved: (to) => (position = to.position),
      });
      events += wanted.length;
      onProgress?.({ events, position: last.position, until: end });
    }
    const beyond =
      wanted.length < stored.length ||
      batch.some(
        (item) => item.kind === 'caught_up' || (until !== undefined && itemPosition(item) >= until),
      );
    if (beyond) return;
  }
}

const itemPosition = (
  item: { kind: 'event'; event: { position: bigint } } | { kind: 'checkpoint'; position: bigint },
) => (item.kind === 'event' ? item.event.position : item.position);
