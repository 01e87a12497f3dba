import { decodeProviderEvent, providerStream } from '#shared/domain/provider/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { fromStore } from '../../store.ts';

/** What a process told last of its calls of a provider; `opened` while it was passed over then. */
export type Told = { at: Date; opened?: { calls: number; unknown: number } };

/** By provider, where there is anything. @throws Problem not_ready */
export async function readBreakers(
  store: Pick<EventStore, 'read'>,
  providers: readonly string[],
): Promise<ReadonlyMap<string, Told>> {
  const told = new Map<string, Told>();
  await Promise.all(
    providers.map(async (name) => {
      const stream = providerStream(name);
      const [newest] = await fromStore(store.read(stream, { direction: 'backwards', maxCount: 1 }));
      if (!newest) return;
      const { type, data } = decodeProviderEvent(newest);
      const opened = type === 'ProviderBreakerOpened' && {
        opened: { calls: data.calls, unknown: data.unknown },
      };
      told.set(name, { at: newest.created, ...opened });
    }),
  );
  return told;
}

export function viewBreaker(told: Told | undefined) {
  if (!told) return null;
  const { at, opened } = told;
  return { state: opened ? 'failing' : 'closed', since: at.toISOString(), ...opened };
}
