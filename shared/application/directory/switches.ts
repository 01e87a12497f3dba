import { allSwitchedOn, evolveSwitches, type SwitchedOffProviders } from '#shared/domain/provider/switch.ts';
import type { Folding, StoredEvent } from '#shared/platform/event-store/index.ts';
import { decodeDirectoryEvent, type DirectoryEvent } from './stream.ts';

/** Which providers are out of routing, as of a revision of the directory. */
export type ProviderSwitches = { revision: number; off: SwitchedOffProviders };

export function foldSwitches(
  { off }: ProviderSwitches,
  event: DirectoryEvent,
  { revision, created, metadata }: Pick<StoredEvent, 'revision' | 'created' | 'metadata'>,
): ProviderSwitches {
  if (event.type === 'SetupChanged') return { revision, off };
  const { actor } = metadata;
  return { revision, off: evolveSwitches(off, event, { createdIso: created.toISOString(), actor }) };
}

/** How the directory's stream is read by who switches a provider. */
export const switches: Folding<ProviderSwitches, DirectoryEvent> = {
  initial: { revision: -1, off: allSwitchedOn },
  decode: decodeDirectoryEvent,
  evolve: foldSwitches,
};
