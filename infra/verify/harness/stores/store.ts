import { inject, onTestFinished } from 'vitest';
import { connectEventStore } from '#shared/application/event-store.ts';
import type { ConnectOptions, ObservableEventStore } from '#shared/platform/event-store/client.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { decodeLedgerEvent, ledgerStream } from '#shared/domain/ledger/events.ts';
import { waitLimitMs } from '../tests/eventually.ts';
import { forFile } from '../tests/for-file.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import type { TestStack } from '../stacks/test-stack.ts';

/** Connected with the event store that test files share, or with another. */
export const storeForFile = (url = () => inject('eventStoreUrl')): ObservableEventStore =>
  forFile(() => connectEventStore(url(), { readWithinMs: waitLimitMs }));

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

/** A stream of a running stack. */
export async function readStackStream(
  { env }: Pick<TestStack, 'env'>,
  stream: string,
): Promise<StoredEvent[]> {
  const store = connectEventStore(env['EVENT_STORE_URL'] ?? '');
  const events = await store.read(stream);
  await store.close();
  return events;
}

/** The kinds of a shop's ledger entries in roubles: all, or those of an operation. */
export async function readEntryKinds(
  stack: Pick<TestStack, 'env'>,
  shopId: string,
  operationId?: string,
): Promise<string[]> {
  const events = await readStackStream(stack, ledgerStream(shopId, 'RUB'));
  const entries = events.map((event) => decodeLedgerEvent(event).data);
  const isWanted = (entry: (typeof entries)[number]) =>
    operationId === undefined || ('operation_id' in entry && entry.operation_id === operationId);
  return entries.filter(isWanted).map(({ kind }) => kind);
}
