import { setTimeout as delay } from 'node:timers/promises';
import { providerSetup, type ProviderSetup } from '#shared/application/directory/provider-setup.ts';
import {
  directoryStream,
  setupLeaseMs,
  type DirectoryEvent,
} from '#shared/application/directory/stream.ts';
import { decideAndAppend } from '#shared/application/commands/decide-and-append.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import type { Directory } from '#shared/application/directory/directory.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { notDecided } from '#shared/application/directory/command-shop.ts';

export type ProviderPorts = { store: EventStore; directory: Pick<Directory, 'providers'> };

type Decision<Refusal extends string> = { events: DirectoryEvent[] } | { refusal: Refusal };

/**
 * Changes the providers' set-up, and answers once the change is in force on every instance: none
 * uses older settings for longer than the lease. Work under way continues.
 * @returns the new set-up, or the refusal
 * @throws Problem not_ready when the outcome is unknown and the command should be retried
 */
export async function commandProviders<Refusal extends string = never>(
  { store, directory }: ProviderPorts,
  origin: Origin,
  decide: (setup: ProviderSetup) => Decision<Refusal>,
): Promise<{ setup: ProviderSetup } | { refusal: Refusal }> {
  const setup = await fromStore(directory.providers('now'));
  const target = {
    store,
    stream: directoryStream,
    folding: providerSetup,
    fromState: setup,
    origin,
  };
  const result = await decideAndAppend<ProviderSetup, DirectoryEvent, Decision<Refusal>>(
    target,
    decide,
  );
  if (result.outcome === 'undecided') throw notDecided(result.cause);
  if (result.outcome === 'refused') return { refusal: result.refusal };
  await delay(setupLeaseMs);
  // Read back, because later lists show the log's time.
  return { setup: await fromStore(directory.providers('now')) };
}
