import { decodeLogEvent, logStream } from '#shared/domain/log/events.ts';
import {
  createCheckpointGuard,
  type CheckpointGuard,
  type CheckpointGuardOptions,
} from '#shared/platform/event-store/checkpoint-guard.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';

/** The guard of a process's followers of the gateway's log. */
export const guardCheckpoints = (
  options: Omit<CheckpointGuardOptions, 'movedTo'>,
): CheckpointGuard => createCheckpointGuard({ ...options, movedTo });

async function movedTo(store: Pick<EventStore, 'read'>): Promise<string | undefined> {
  const [newest] = await store.read(logStream, { direction: 'backwards', maxCount: 1 });
  const event = newest && decodeLogEvent(newest);
  return event?.type === 'LogClosed' ? event.data.to : undefined;
}
