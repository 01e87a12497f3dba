import { toMetadata } from '#shared/application/commands/new-events.ts';
import { announceSetupChange, type SetupChanged } from '#shared/application/directory/stream.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';

/**
 * Announces a change of a shop whose command died before it could. Announcing twice is harmless.
 * @returns `undecided` when the outcome is unknown
 */
export const announceAgain = (
  store: EventStore,
  change: SetupChanged,
): ReturnType<typeof announceSetupChange> => {
  const origin = { actor: 'service:admin', correlationId: newId() };
  return announceSetupChange(store, change, toMetadata(origin, 'SetupChanged'));
};
