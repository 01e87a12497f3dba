import { channel } from 'node:diagnostics_channel';
import { isIP, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { openServer } from '#infra/verify/harness/processes/loopback.ts';
import { createHttpClient } from '#shared/platform/http-client/client.ts';
import { newWebhookSecret } from '#shared/application/credentials.ts';
import { startCanary } from '../../testing/canary.ts';
import { startNameServer } from '../../testing/name-server.ts';
import { refuseUrl } from '#shared/application/webhooks/refuse-url.ts';
import { createGuard, DestinationRefused } from './guard.ts';
import { spellings, zone } from '#services/webhooks/testing/guard-spellings.ts';
import { createPools } from '../send/pools.ts';
import { createResolve, type Resolve } from './resolve.ts';
import { createSend, type SendResult } from '../send/send.ts';

/** A public address that is not in use: 3000::/4 was never assigned. */
const publicAndUnused = '3000::1';

const canary = forFile(startCanary);
const names = forFile(() =>
  startNameServer({ ...zone, 'rebinding.example': [[publicAndUnused], ['127.0.0.1']] }),
);
let resolve: Resolve;
/** The addresses that sockets of this process try to connect to. */
let attempts: string[] = [];
const watchSocket = (message: unknown) => {
  const { socket } = message as { socket: Socket };
  socket.on('connectionAttempt', (address) => void attempts.push(address));
};
beforeAll(() => {
  resolve = createResolve([names.address]);
  channel('net.client.socket').subscribe(watchSocket);
});
afterAll(() => channel('net.client.socket').unsubscribe(watchSocket));
beforeEach(() => {
  attempts = [];
});

const attempt = async (
  url: string,
  { allowPrivate = false, deadlineMs = 20_000 } = {},
): Promise<SendResult> => {
  const pools = createPools({ allowPrivate, resolve });
  const delivery = { messageId: 'id', body: '{}', url, secrets: [newWebhookSecret()] };
  try {
    const send = createSend({ pools, allowPrivate, deadlineMs }, new AbortController().signal);
    const sent = await send(delivery);
    if (sent === 'aborted') throw new Error('the attempt was aborted');
    return sent;
  } finally {
    await pools.close();
  }
};
/** The same with the canary's port, if the spelling has none. */
const withPort = (url: string) =>
  url.replace(/^(https:\/\/[^/@#?\\\s:[\]]+|https:\/\/\[[^\]]*\])\/$/i, `$1:${canary.port}/`);

describe('every spelling of a non-public destination', () => {
  it('appears once in the list', () => {
    expect(new Set(spellings.map(({ url }) => url)).size).toBe(spellings.length);
    expect(spellings.length).toBeGreaterThanOrEqual(60);
    expect(spellings.filter(({ url }) => withPort(url) !== url).length).toBeGreaterThanOrEqual(60);
  });

  it.each(spellings.map((each) => ({ ...each, shown: JSON.stringify(each.url) })))(
    '$shown is refused at $at, without a connection',
    async ({ url, at }) => {
      expect(refuseUrl(url, { allowPrivate: false }) === undefined).toBe(at === 'resolve');
      for (const tried of new Set([url, withPort(url)])) {
        const { success, facts } = await attempt(tried);
        expect({ success, status: facts.statusCode }).toEqual({ success: false, status: null });
        expect(facts.error).toMatch(
          at === 'save' ? /^destination refused: / : /^destination refused: its address/,
        );
      }
      expect({ attempts, seen: canary.connections() }).toEqual({ attempts: [], seen: 0 });
    },
  );

  // A URL that passes the first check is checked again by the socket.
  const origins = [
    ...new Set(
      spellings.flatMap(({ url }) => {
        const message = URL.canParse(url) ? new URL(url) : undefined;
        return message && ['https:', 'http:'].includes(message.protocol) ? [message] : [];
      }),
    ),
  ].map(({ protocol, hostname }) => ({ protocol, hostname }));
  it.each(origins)(
    '$protocol//$hostname is refused by the connection too (R14.14)',
    async ({ protocol, hostname }) => {
      const bare = hostname.replace(/^\[|\]$/g, '');
      // Without its user-info, a name of the list may be harmless; here, all resolve to loopback.
      expect(isIP(bare) !== 0 || /localhost|example/.test(hostname)).toBe(true);
      const client = createHttpClient(`${protocol}//${hostname}:${canary.port}`, {
        maxConnections: 1,
        guard: createGuard({ allowPrivate: false, resolve }),
      });
      const error = await new Promise((done) =>
        client.send(
          { method: 'GET', path: '/', headers: {} },
          {
            onStatus: (status) => done(status),
            onData: () => undefined,
            onEnd: () => undefined,
            onError: done,
          },
        ),
      );
      expect(error).toBeInstanceOf(DestinationRefused);
      await client.close();
      expect({ attempts, seen: canary.connections() }).toEqual({ attempts: [], seen: 0 });
    },
  );

  it('would be detected by the canary', async () => {
    const seen = canary.connections();
    const reachable = [
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '0177.1',
      '①②⑦.0.0.1',
      'localhost',
      'merchant.example',
    ];
    for (const host of reachable)
      await attempt(`https://${host}:${canary.port}/`, { allowPrivate: true });
    expect(canary.connections() - seen).toBe(reachable.length);
    expect(attempts.length).toBeGreaterThanOrEqual(reachable.length);
  });
});

describe('a name', () => {
  it('is resolved once per attempt, and the socket connects to the resolved address', async () => {
    const seen = canary.connections();
    const url = `https://rebinding.example:${canary.port}/`;
    const first = await attempt(url, { deadlineMs: 2_000 });
    // The name first resolves to a public address, so that is tried.
    expect(first.facts.error).not.toMatch(/refused/);
    expect(attempts).toEqual([publicAndUnused]);
    expect(names.queries.filter((query) => query.startsWith('rebinding')).toSorted()).toEqual([
      'rebinding.example 1',
      'rebinding.example 28',
    ]);
    const second = await attempt(url);
    expect(second.facts.error).toBe('destination refused: its address is not public');
    expect(attempts).toHaveLength(1);
    expect(canary.connections()).toBe(seen);
  });
});

it.each([301, 302, 303, 307, 308])(
  'a redirect (%i) to loopback is not followed',
  async (status) => {
    const seen = canary.connections();
    const location = `http://127.0.0.1:${canary.port}/`;
    const { url, close } = await openServer((_request, response) =>
      response.writeHead(status, { location }).end(),
    );
    onTestFinished(close);
    const { success, facts } = await attempt(`${url}/`, { allowPrivate: true });
    expect({ success, status: facts.statusCode, error: facts.error }).toEqual({
      success: false,
      status,
      error: 'redirects are not followed',
    });
    expect(canary.connections()).toBe(seen);
  },
);
