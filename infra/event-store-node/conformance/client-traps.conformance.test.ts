import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { EventStoreDBClient, NO_STREAM } from '@eventstore/db-client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startTcpProxy } from '#infra/verify/harness/stores/tcp-proxy.ts';
import {
  appendPaths,
  collect,
  connect,
  event,
  events,
  freshStream,
  rejection,
  sharedClient,
  storeUrl,
} from './support/store.ts';
import { waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';

const client = sharedClient();
const viaProxy = async () => {
  const proxy = await startTcpProxy(storeUrl());
  onTestFinished(() => proxy.close());
  const proxied = EventStoreDBClient.connectionString(proxy.url);
  // Opens the connection and the batch stream.
  await proxied.appendToStream(freshStream(), event());
  return { proxy, proxied };
};

// Facts about the official client 6.2.1 rather than about a server, which a wrapper has to know.
describe('a cut connection', () => {
  it.each(appendPaths)(
    'leaves the outcome of a stored append unknown; a retry finds it ($path path)',
    async ({ path, via }) => {
      const { proxy, proxied } = await viaProxy();
      const stream = freshStream();
      const sent = event();
      proxy.holdAnswers();
      const pending = rejection(
        proxied.appendToStream(stream, sent, { expectedRevision: NO_STREAM, ...via }),
      );
      await vi.waitFor(async () =>
        expect(await collect(client.readStream(stream))).toHaveLength(1),
      );
      proxy.cut();
      const error = await pending;
      expect([path, error['code'], error['type']]).toEqual([path, 14, 'unavailable']);
      const retried = await client.appendToStream(stream, sent, {
        expectedRevision: NO_STREAM,
        ...via,
      });
      expect(retried.nextExpectedRevision).toBe(0n);
      expect(await collect(client.readStream(stream))).toHaveLength(1);
    },
  );

  it('rejects the pending batch appends of every client in the process', async () => {
    const [left, right] = [await viaProxy(), await viaProxy()];
    left.proxy.holdAnswers();
    right.proxy.holdAnswers();
    const streams = [freshStream(), freshStream(), freshStream()];
    const pending = [
      rejection(left.proxied.appendToStream(streams[0]!, event())),
      rejection(right.proxied.appendToStream(streams[1]!, event())),
      rejection(right.proxied.appendToStream(streams[2]!, event())),
    ];
    await vi.waitFor(async () => {
      for (const stream of streams)
        expect(await collect(client.readStream(stream))).toHaveLength(1);
    });
    left.proxy.cut();
    const errors = await Promise.all(pending);
    expect(errors.map((error) => error['type'])).toEqual([
      'unavailable',
      'unavailable',
      'unavailable',
    ]);
  });

  it('lets the same client object append again', async () => {
    const { proxy, proxied } = await viaProxy();
    proxy.cut();
    const sent = event();
    const stream = freshStream();
    const result = await vi.waitFor(
      () => proxied.appendToStream(stream, sent, { expectedRevision: NO_STREAM, deadline: 1000 }),
      { timeout: waitLimitMs, interval: 100 },
    );
    expect(result.nextExpectedRevision).toBe(0n);
  });

  it('makes a late response throw outside of the call', async () => {
    const script = fileURLToPath(new URL('support/late-answer.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [script, storeUrl()]);
    expect(JSON.parse(stdout)).toEqual({ settled: ['rejected', 'rejected'], thrown: 'TypeError' });
  });
});

describe('throwOnAppendFailure', () => {
  const lenient = () => connect(`${storeUrl()}&throwOnAppendFailure=false`);
  const headAt4 = async () => {
    const stream = freshStream();
    await client.appendToStream(stream, events(5), { expectedRevision: NO_STREAM });
    return stream;
  };

  it('is ignored as an option of an append', async () => {
    const options = { expectedRevision: 9n, throwOnAppendFailure: false };
    const error = await rejection(client.appendToStream(await headAt4(), event(), options));
    expect(error).toMatchObject({ type: 'wrong-expected-version' });
  });

  it('makes the batch path always report revision 1 if it is false in the URL', async () => {
    const result = await lenient().appendToStream(await headAt4(), event(), {
      expectedRevision: 9n,
    });
    expect(result).toMatchObject({ success: false, nextExpectedRevision: 1n });
  });

  it('makes the unary path report the head, or -1, if it is false in the URL', async () => {
    const [, unary] = appendPaths;
    const strict = { expectedRevision: 9n, ...unary.via };
    expect(await lenient().appendToStream(await headAt4(), event(), strict)).toMatchObject({
      success: false,
      nextExpectedRevision: 4n,
    });
    expect(await lenient().appendToStream(freshStream(), event(), strict)).toMatchObject({
      success: false,
      nextExpectedRevision: -1n,
    });
  });
});
