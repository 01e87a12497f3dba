import { z } from 'zod';
import { createDecoder, type EventOf } from '#shared/domain/decode.ts';
import { providerAccountSchemas, providerSwitchSchemas } from '#shared/domain/provider/events.ts';
import { newId } from '#shared/platform/ids.ts';
import {
  appendAtHead,
  type EventMetadata,
  type EventStore,
} from '#shared/platform/event-store/index.ts';

/**
 * One short stream with the changes of set-up streams, the shop of each API key, the providers that
 * are switched off, and the accounts with providers. With one small read of its end a service knows
 * every change of every shop, however many shops there are.
 */
export const directoryStream = 'directory';

/**
 * A lease: no service uses a shop's set-up for longer than this without confirming that nothing
 * changed. A command that must be in force everywhere once it is answered (a revoked key, R1.6)
 * therefore only waits as long before its answer.
 */
export const setupLeaseMs = 250;

export const directoryEventSchemas = {
  SetupChanged: z.object({
    shop_id: z.string(),
    /** The revision of the shop's stream that a reader must have reached. */
    shop_revision: z.int(),
    /** An API key issued by that change. */
    api_key: z.object({ key_id: z.string(), key_hash: z.string() }).optional(),
  }),
  ...providerSwitchSchemas,
  ...providerAccountSchemas,
} as const;
export type DirectoryEvent = EventOf<typeof directoryEventSchemas>;
export type SetupChanged = z.infer<typeof directoryEventSchemas.SetupChanged>;

export const decodeDirectoryEvent = createDecoder(directoryEventSchemas, 'directory');

/**
 * Announcements of one process are appended one after the other: together they would only conflict.
 */
const queues = new WeakMap<EventStore, Promise<unknown>>();

/**
 * Appends at the current end. Entries don't depend on each other, so a conflict is just retried.
 */
export function announceSetupChange(
  store: EventStore,
  change: SetupChanged,
  metadata: EventMetadata,
): Promise<'announced' | 'undecided'> {
  const announced = (queues.get(store) ?? Promise.resolve()).then(() =>
    announce(store, change, metadata),
  );
  queues.set(
    store,
    announced.catch(() => undefined),
  );
  return announced;
}

async function announce(
  store: EventStore,
  change: SetupChanged,
  metadata: EventMetadata,
): Promise<'announced' | 'undecided'> {
  const event = { id: newId(), type: 'SetupChanged', data: change, metadata };
  const result = await appendAtHead(store, directoryStream, [event]);
  return result.outcome === 'done' ? 'announced' : 'undecided';
}
