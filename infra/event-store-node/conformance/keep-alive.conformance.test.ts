import { describe, expect, it, onTestFinished } from 'vitest';
import { startTcpProxy } from '#infra/verify/harness/stores/tcp-proxy.ts';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { startEventStoreNode } from '#infra/event-store-node/start.ts';
import { followSubscription } from './support/follow.ts';
import { connect, event, freshStream, isExternal, storeUrl } from './support/store.ts';

/**
 * A real server pings after 10 s of silence and waits 10 s for the reply; a node can be configured
 * with less.
 */
const [intervalMs, timeoutMs] = isExternal ? [10_000, 10_000] : [150, 150];

const patientStore = async (): Promise<string> => {
  if (isExternal) return storeUrl();
  const directory = useTempFolder();
  const node = await startEventStoreNode({ directory, keepAlive: { intervalMs, timeoutMs } });
  onTestFinished(() => node.stop());
  return node.url;
};

describe('an idle subscriber', () => {
  it('is closed if its machine is lost, and otherwise stays open', async () => {
    const url = await patientStore();
    const proxy = await startTcpProxy(url);
    onTestFinished(() => proxy.close());
    const stream = freshStream();
    const lost = followSubscription(
      connect(proxy.url).subscribeToStream(stream, { fromRevision: 'end' }),
    );
    const intact = followSubscription(
      connect(url).subscribeToStream(stream, { fromRevision: 'end' }),
    );
    for (const seen of [lost, intact]) await seen.until(({ confirmations }) => confirmations === 1);
    proxy.holdAnswers();
    // The other end no longer answers pings, but receives the close.
    await lost.until(({ error }) => error !== undefined, 2 * (intervalMs + timeoutMs) + 20_000);
    expect(intact.error).toBeUndefined();
    await connect(url).appendToStream(stream, event());
    await intact.until(({ events }) => events.length === 1);
  });
});
