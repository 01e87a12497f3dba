import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { serveApp } from '#shared/platform/http/testing/serve-app.ts';
import type { RunningServer } from '#shared/platform/http/serve.ts';
import { createApiWithoutStores } from '../testing/api-without-stores.ts';

let server: RunningServer;
async function start(withinMs: number, limited: object = { sender: 4, shop: 6 }): Promise<void> {
  const perOwner = { sender: 20, shop: 20, address: 20, ...limited };
  const incomingBodies = { capacity: { total: 20, perOwner }, withinMs };
  const limits = {
    inFlight: { total: 4, perShop: 2 },
    incomingBodies,
    uploads: { incomingBodies },
    trustedProxies: 1,
  };
  const { api } = createApiWithoutStores(
    { rate_limit: { per_second: 1_000, burst: 1_000 } },
    limits,
  );
  server = await serveApp(api);
}

type SlowRequest = { socket: Socket; answer: Promise<string> };

/**
 * Sends a request's headers and one byte of its body; `answer` is everything received until the
 * connection closes.
 */
function sendSlowly({
  key = 'key1',
  address = '192.0.2.9',
  path = '/v1/payment',
  type = 'application/json',
}): SlowRequest {
  const socket = connect(server.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nx-api-key: ${key}\r\ncontent-type: ${type}`;
  socket.write(`${head}\r\nx-forwarded-for: ${address}\r\ncontent-length: 1000\r\n\r\n{`);
  const answer = new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('close', () => resolve(text));
    socket.on('error', () => undefined);
  });
  return { socket, answer };
}

const codeOf = (answer: string) => /"code":"(\w+)"/.exec(answer)?.[1];

/** Sends a complete request, which is rejected by the first check after its body. */
async function sendComplete(key = 'key1'): Promise<string | undefined> {
  const answer = await fetch(`http://127.0.0.1:${server.port}/v1/payment`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: '{}',
  });
  return codeOf(await answer.text());
}

it.each([
  ['JSON', '/v1/payment', 'application/json'],
  ['a form', '/v1/confirm_payment', 'multipart/form-data; boundary=x'],
])('%s: a stalled body does not block complete requests, and is cut off', async (_, path, type) => {
  await start(400);
  const slow = Array.from({ length: 4 }, () => sendSlowly({ path, type }));
  // Slow bodies hold all slots, but complete requests need none.
  for (let count = 0; count < 5; count += 1) expect(await sendComplete()).toBe('invalid_request');
  for (const { answer } of slow) {
    const text = await answer;
    expect([codeOf(text), text.includes('took too long')]).toEqual(['invalid_request', true]);
  }
});

it.each([
  ['key', { sender: 2 }, { key: 'key1' }, { key: 'key2' }],
  ['address', { address: 2 }, { address: '192.0.2.1' }, { address: '192.0.2.2' }],
])('limits the slow bodies of each %s (R1.10)', async (_, perOwner, same, other) => {
  await start(60_000, perOwner);
  const accepted = [
    sendSlowly({ key: 'key3', address: '192.0.2.3', ...same }),
    sendSlowly({ key: 'key4', address: '192.0.2.4', ...same }),
    sendSlowly({ key: 'key3', address: '192.0.2.3', ...other }),
  ];
  // Once this is answered, the server has received what was sent before.
  await sendComplete();
  const excess = sendSlowly({ key: 'key5', address: '192.0.2.5', ...same });
  const [refusal] = await once(excess.socket, 'data');
  expect(codeOf(String(refusal))).toBe('not_ready');
  expect(accepted.map(({ socket }) => socket.bytesRead)).toEqual([0, 0, 0]);
});

it('limits the slow bodies of a shop, and never its complete requests (R1.10)', async () => {
  // The excess body must arrive before the others are cut off.
  await start(6_000);
  const first = Array.from({ length: 4 }, () => sendSlowly({ key: 'key1' }));
  await sendComplete('key1');
  const others = Array.from({ length: 2 }, () => sendSlowly({ key: 'key2' }));
  // Once this is answered, the server has received what was sent before.
  await sendComplete('key2');
  const refused = sendSlowly({ key: 'key3' });
  // Rejected before its timeout; the connection stays open, as after any rejection.
  const early = await new Promise<string>((resolve) =>
    refused.socket.once('data', (data) => resolve(String(data))),
  );
  expect(codeOf(early)).toBe('not_ready');
  expect(await sendComplete('key1')).toBe('invalid_request');
  for (const { answer } of [...first, ...others])
    expect(codeOf(await answer)).toBe('invalid_request');
  // Its slot is free again.
  const again = sendSlowly({ key: 'key1' });
  expect(codeOf(await again.answer)).toBe('invalid_request');
});
