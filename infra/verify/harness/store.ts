import { inject, onTestFinished } from 'vitest';
import { connectEventStore } from '#shared/application/event-store.ts';
import type { ConnectOptions, ObservableEventStore } from '#shared/platform/event-store/client.ts';
import { forFile } from './for-file.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** Connected with the event store that test files share, or with another. */
export const storeForFile = (url = () => inject('eventStoreUrl')): ObservableEventStore =>
  forFile(() => connectEventStore(url()));

/** Connected with an event store until the test ends. */
export function useStore(url: string, options?: ConnectOptions): ObservableEventStore {
  const store = connectEventStore(url, options);
  onTestFinished(() => store.close());
  return store;
}

/** The same through a proxy, which the test stalls or cuts. */
export async function useProxiedStore(
  url = inject('eventStoreUrl'),
): Promise<{ proxy: TcpProxy; store: ObservableEventStore }> {
  const proxy = await startTcpProxy(url);
  onTestFinished(() => proxy.close());
  return { proxy, store: useStore(proxy.url) };
}
