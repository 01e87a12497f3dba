import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newEvent } from '#shared/platform/event-store/testing/new-event.ts';
import { folderForFile, useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import { NO_STREAM } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { findFreePort } from '#infra/process/free-port.ts';
import { startInProcess, type InProcessNode } from './start-in-process.ts';

const directory = folderForFile();
let url: string;
let node: InProcessNode;
async function start(): Promise<InProcessNode> {
  return startInProcess({
    directory,
    port: Number(new URL(url.replace('esdb', 'http')).port),
    sameUserOnly: false,
  });
}
beforeAll(async () => {
  url = `esdb://127.0.0.1:${await findFreePort()}?tls=false`;
  node = await start();
});
afterAll(() => node.stop());
const newStream = () => `test-${newId()}`;
const connectInProcess = () => connectEventStore(url, { connection: node.connect() });

describe('an event store node in a thread', () => {
  it('preserves appended events, and fails open calls with the reason when it stops', async () => {
    const [store, stream] = [connectInProcess(), newStream()];
    const appended = await store.append({
      stream,
      expectedRevision: NO_STREAM,
      events: [newEvent()],
    });
    const { signal } = new AbortController();
    const following = store.subscribe({ signal, dedicated: true })[Symbol.asyncIterator]();
    await following.next();
    const open = following.next().catch(String);
    await node.stop();
    expect(await open).toContain('The event store node is stopping.');
    node = await start();
    const again = connectInProcess();
    expect(await again.read(stream)).toMatchObject([{ revision: 0 }]);
    expect(appended).toMatchObject({ outcome: 'appended', revision: 0 });
    await again.close();
  });

  it.each(['test', 'tést-ж'])('deletes streams for good: %s', async (name) => {
    const [store, stream] = [connectInProcess(), `${name}-${newId()}`];
    await store.append({ stream, expectedRevision: NO_STREAM, events: [newEvent()] });
    await store.tombstone(stream);
    await store.tombstone(stream);
    await expect(store.read(stream)).rejects.toMatchObject({ type: 'stream-deleted' });
    await store.close();
  });

  it('fails reads and leaves the outcome of appends unknown after its end', async () => {
    const [store, stream] = [connectInProcess(), newStream()];
    await node.stop();
    await expect(store.read(stream)).rejects.toThrow('The event store node has ended.');
    const request = { stream, expectedRevision: NO_STREAM, events: [newEvent()], deadlineMs: 300 };
    expect(await store.append(request)).toMatchObject({ outcome: 'unknown' });
    await node.stop();
    await expect(connectInProcess().read(stream)).rejects.toThrow('has ended');
    await expect(node.failed).rejects.toThrow('has ended with code 0');
    node = await start();
    await store.close();
  });

  it('rejects with the reason if it cannot start', async () => {
    const again = startInProcess({ directory, port: 0, sameUserOnly: false });
    await expect(again).rejects.toMatchObject({
      name: 'StorageUnavailableError',
      message: expect.stringContaining('in use'),
    });
    const elsewhere = useTempFolder();
    const port = Number(new URL(url.replace('esdb', 'http')).port);
    await expect(
      startInProcess({ directory: elsewhere, port, sameUserOnly: false }),
    ).rejects.toMatchObject({ code: 'EADDRINUSE', port });
  });
});
