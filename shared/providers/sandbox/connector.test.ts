import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routeSchema } from '#shared/domain/routing.ts';
import { createLogger } from '#shared/logger.ts';
import { useSandbox } from '#services/sandbox-provider/testing/use-sandbox.ts';
import type { ProviderConnector, Submission } from '../connector.ts';
import { createProviders } from '../index.ts';
import { signCallback } from './signature.ts';
import type { WireSnapshot } from './wire.ts';

const logger = createLogger('test', 'silent');
const secrets = {
  SANDBOX_API_KEY: 'sandbox-test-key-0001',
  SANDBOX_CALLBACK_SECRET: 'sandbox-callback-secret',
};
const connect = (url: string, change: Partial<typeof secrets> = {}) => {
  const { providers, close } = createProviders({ SANDBOX_URL: url, ...secrets, ...change }, logger);
  const connector = providers.get('sandbox');
  if (!connector) throw new Error('no connector');
  return { connector, close };
};

const submission = (
  options: object = {},
  change: Omit<Partial<Submission>, 'route'> & { route?: object } = {},
): Submission => ({
  operationId: randomUUID(),
  attempt: 1,
  type: 'payment',
  request: { client_id: 'c', method: 'WT_RUB_PHONE', amount: '100.00', currency: 'RUB' },
  ...change,
  route: routeSchema.parse({
    type: 'payment',
    method: 'WT_RUB_PHONE',
    currency: 'RUB',
    provider: 'sandbox',
    commission: { percent: '1' },
    options,
    ...change.route,
  }),
});
const bounds = { timeoutMs: 3_000 };
const shortly = { timeoutMs: 200 };

describe('a provider that answers', () => {
  const given = useSandbox();
  let connector: ProviderConnector;
  let close: () => Promise<void>;
  beforeAll(() => {
    ({ connector, close } = connect(given.sandbox.url, given.sandbox.config));
  });
  afterAll(() => close());

  it('accepts, with all that it allocates', async () => {
    const conversion = { settlement_currency: 'USD', fx_source: 'sandbox' };
    const submitted = submission({ expires_in_s: 60, fx_rate: '0.0125' }, { route: { conversion } });
    const answer = await connector.submit(submitted, bounds);
    expect(answer).toEqual({
      outcome: 'accepted',
      providerReference: expect.stringMatching(/^sbx_/),
      requisites: {
        number: expect.any(String),
        name: expect.any(String),
        bankname: expect.any(String),
        bankname_details: expect.any(String),
      },
      expiresAt: expect.stringMatching(/Z$/),
      fxRate: '0.012500',
    });
    expect(await connector.submit(submitted, bounds)).toEqual(answer);
    expect(await connector.ask(submitted, bounds)).toEqual({
      outcome: 'known',
      answer,
      report: { attempt: 1, status: 'open', legs: [] },
    });
  });

  it('is given a payout’s destination, and no payment’s', async () => {
    const request = { ...submission().request, destination: { number: '+79001234567', bankname: 'vtb' } };
    const payout = submission({}, { type: 'payout', request, route: { type: 'payout' } });
    const payment = submission({}, { request });
    expect(await connector.submit(payout, bounds)).toEqual({
      outcome: 'accepted',
      providerReference: expect.any(String),
    });
    await connector.submit(payment, bounds);
    const seen = async ({ operationId }: Submission) =>
      (await given.client.history(operationId)).submissions[0].request;
    expect((await seen(payout)).destination).toEqual(request.destination);
    expect(await seen(payment)).not.toHaveProperty('destination');
  });

  it('refuses', async () => {
    const submitted = submission({ accept: 'decline' });
    const answer = { outcome: 'refused', reason: 'declined' };
    expect(await connector.submit(submitted, bounds)).toEqual(answer);
    const report = { attempt: 1, status: 'declined', legs: [] };
    expect(await connector.ask(submitted, bounds)).toEqual({ outcome: 'known', answer, report });
    expect(await connector.withdraw(submitted, bounds)).toEqual({ outcome: 'withdrawn' });
  });

  it('fails or hangs: the outcome is unknown, also when asked, until it is withdrawn', async () => {
    const failing = submission({ accept: 'error' });
    const hanging = submission({ accept: 'hang' });
    expect(await connector.submit(failing, bounds)).toEqual({ outcome: 'unknown', cause: 'error' });
    expect(await connector.submit(hanging, shortly)).toEqual({ outcome: 'unknown', cause: 'timeout' });
    for (const submitted of [failing, hanging]) {
      expect(await connector.ask(submitted, bounds)).toEqual({ outcome: 'unknown', cause: 'undecided' });
      expect(await connector.withdraw(submitted, bounds)).toEqual({ outcome: 'withdrawn' });
      expect(await connector.ask(submitted, bounds)).toMatchObject({
        outcome: 'known',
        answer: { outcome: 'refused', reason: 'withdrawn' },
      });
    }
  });

  it('never heard of an attempt, and never will once it was asked', async () => {
    const submitted = submission();
    expect(await connector.ask(submitted, bounds)).toEqual({ outcome: 'never_submitted' });
    expect(await connector.submit(submitted, bounds)).toEqual({ outcome: 'refused', reason: 'withdrawn' });
  });

  it('lets an open attempt be withdrawn, and not one that is paid', async () => {
    const [open, paid] = [submission(), submission()];
    await connector.submit(open, bounds);
    await connector.submit(paid, bounds);
    await given.client.control(paid.operationId, 'settle', { result: 'completed' });
    expect(await connector.withdraw(open, bounds)).toEqual({ outcome: 'withdrawn' });
    expect(await connector.withdraw(paid, bounds)).toEqual({ outcome: 'refused', reason: 'completed' });
  });

  it('reports by callbacks that can be read', async () => {
    const submitted = submission({ accept: 'error' }, { type: 'payout' });
    await connector.submit(submitted, bounds);
    await given.client.control(submitted.operationId, 'leg', { amount: '60.00' });
    const [callback] = await given.callbacks(submitted.operationId, 1);
    const read = connector.readCallback(callback!.headers, callback!.body, Date.now());
    const known = await connector.ask(submitted, bounds);
    if (known.outcome !== 'known') throw new Error('not known');
    const { answer, report } = known;
    expect(read).toEqual({ ok: true, operationId: submitted.operationId, answer, report });
    expect(answer.outcome).toBe('accepted');
    expect(report).toMatchObject({ attempt: 1, status: 'open', legs: [{ amount: '60.00', file: true }] });
  });

  it('knows another key: nothing that it says then is an answer', async () => {
    const stranger = connect(given.sandbox.url, { SANDBOX_API_KEY: 'the-key-of-a-stranger' });
    expect(await stranger.connector.submit(submission(), bounds)).toEqual({
      outcome: 'unknown',
      cause: 'error',
    });
    await stranger.close();
  });
});

describe('a callback', () => {
  const { connector, close } = connect('http://127.0.0.1:9');
  afterAll(() => close());
  const nowMs = Date.now();
  const read = (value: unknown, secret = secrets.SANDBOX_CALLBACK_SECRET) => {
    const body = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
    const headers = new Headers({ ...signCallback(secret, { id: 'id', body, nowMs }) });
    return connector.readCallback(headers, body, nowMs);
  };
  const snapshot: WireSnapshot = {
    key: 'op.2',
    operation_id: 'op',
    attempt: 2,
    version: 3,
    acceptance: 'accepted',
    reference: 'r',
    status: 'declined',
    legs: [],
  };

  it('is what the provider signed, and nothing else', () => {
    expect(read(snapshot)).toEqual({
      ok: true,
      operationId: 'op',
      answer: { outcome: 'accepted', providerReference: 'r' },
      report: { attempt: 2, status: 'declined', legs: [] },
    });
    expect(read(snapshot, 'the-secret-of-another')).toEqual({ ok: false, reason: 'signature' });
    expect(connector.readCallback(new Headers(), Buffer.from('{}'), nowMs)).toEqual({
      ok: false,
      reason: 'signature',
    });
  });

  it.each([
    ['no JSON', '<html>'],
    ['no object', 'null'],
    ['of another shape', { ...snapshot, legs: [{ leg_id: 'x', amount: '-1.00' }] }],
    ['of a status that is not known', { ...snapshot, status: 'lost' }],
    ['about two attempts at once', { ...snapshot, attempt: 1 }],
    ['about nothing', { ...snapshot, acceptance: 'void' }],
    ['undecided', { ...snapshot, acceptance: 'received' }],
  ])('is malformed when it is %s', (_, value) => {
    expect(read(value)).toEqual({ ok: false, reason: 'malformed' });
  });
});

describe('a provider that misbehaves', () => {
  type Handler = (request: IncomingMessage, response: ServerResponse) => void;
  let handle: Handler = () => undefined;
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    handle(request, response);
  });
  let connector: ProviderConnector;
  let close: () => Promise<void>;
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    ({ connector, close } = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
  afterAll(async () => {
    await close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const json = { 'content-type': 'application/json' };
  const attempt = { operationId: 'op', attempt: 1 };
  const good: WireSnapshot = {
    key: 'op.1',
    operation_id: 'op',
    attempt: 1,
    version: 2,
    acceptance: 'accepted',
    reference: 'r',
    status: 'withdrawn',
    legs: [],
  };
  const answering =
    (status: number, headers: Record<string, string>, body: string | Uint8Array): Handler =>
    (_, response) =>
      response.writeHead(status, headers).end(body);
  const accepted = JSON.stringify(good);
  const notText = Buffer.from(accepted.replace('"r"', '"\u00ff"'), 'latin1');

  it('is understood when it behaves', async () => {
    handle = answering(200, { 'content-type': 'application/json; charset=utf-8' }, accepted);
    expect(await connector.submit({ ...submission(), ...attempt }, bounds)).toMatchObject({
      outcome: 'accepted',
    });
    expect(await connector.withdraw(attempt, bounds)).toEqual({ outcome: 'withdrawn' });
  });

  const faults: [string, 'error' | 'timeout', Handler][] = [
    ['a 500 with HTML', 'error', answering(500, { 'content-type': 'text/html' }, '<h1>500</h1>')],
    ['a 502 with JSON', 'error', answering(502, json, accepted)],
    ['a 201', 'error', answering(201, json, accepted)],
    ['a problem', 'error', answering(400, { 'content-type': 'application/problem+json' }, '{}')],
    ['a redirect', 'error', answering(307, { ...json, location: '/elsewhere' }, accepted)],
    ['JSON that is called text', 'error', answering(200, { 'content-type': 'text/plain' }, accepted)],
    ['a 200 without a body', 'error', answering(200, json, '')],
    ['half of a body', 'error', answering(200, json, accepted.slice(0, 40))],
    ['bytes that are no text', 'error', answering(200, json, notText)],
    ['another shape', 'error', answering(200, json, '{"acceptance":"accepted"}')],
    ['another attempt', 'error', answering(200, json, accepted.replace('"op.1"', '"op.2"'))],
    [
      'another operation',
      'error',
      answering(200, json, JSON.stringify({ ...good, key: 'po.1', operation_id: 'po' })),
    ],
    ['a body without end', 'error', endless],
    ['an oversized body', 'error', answering(200, json, `${' '.repeat(300 * 1024)}${accepted}`)],
    ['a reset', 'error', (request) => request.socket.resetAndDestroy()],
    ['a reset in the middle', 'error', resetInTheMiddle],
    ['a length that is not kept', 'error', cutShort],
    ['silence', 'timeout', () => undefined],
    ['headers and then silence', 'timeout', (_, response) => response.writeHead(200, json).flushHeaders()],
    ['a body that trickles', 'timeout', trickling],
  ];

  it.each(faults)('%s is an unknown outcome (%s) of every call', async (_, cause, handler) => {
    handle = handler;
    const unknown = { outcome: 'unknown', cause };
    const within = cause === 'timeout' ? shortly : bounds;
    const before = requests;
    expect(await connector.submit({ ...submission(), ...attempt }, within)).toEqual(unknown);
    expect(await connector.ask(attempt, within)).toEqual(unknown);
    expect(await connector.withdraw(attempt, within)).toEqual(unknown);
    // Nothing is followed, and nothing is repeated behind the caller's back.
    expect(requests - before).toBe(3);
  });

  it('is not waited for any longer than the deadline, all in all', async () => {
    handle = trickling;
    const startedMs = performance.now();
    await connector.submit({ ...submission(), ...attempt }, { timeoutMs: 300 });
    expect(performance.now() - startedMs).toBeGreaterThan(290);
    expect(performance.now() - startedMs).toBeLessThan(1_500);
  });

  it('is left when the caller leaves', async () => {
    handle = () => undefined;
    const abort = new AbortController();
    const call = connector.ask(attempt, { timeoutMs: 60_000, signal: abort.signal });
    setTimeout(() => abort.abort(), 20);
    expect(await call).toEqual({ outcome: 'unknown', cause: 'error' });
    expect(await connector.ask(attempt, { timeoutMs: 60_000, signal: abort.signal })).toEqual({
      outcome: 'unknown',
      cause: 'error',
    });
  });

  it('does not keep a hanging call from leaving room for others', async () => {
    handle = (request, response) => {
      if (request.url?.includes('hang')) return;
      response.writeHead(200, json).end(accepted);
    };
    const hanging = Array.from({ length: 100 }, (_, index) =>
      connector.ask({ operationId: `hang${index}`, attempt: 1 }, { timeoutMs: 1_000 }),
    );
    expect((await connector.ask(attempt, { timeoutMs: 900 })).outcome).toBe('known');
    await Promise.all(hanging);
  });

  it('is not there', async () => {
    const nobody = connect('http://127.0.0.1:9');
    expect(await nobody.connector.submit(submission(), bounds)).toEqual({
      outcome: 'unknown',
      cause: 'error',
    });
    await nobody.close();
  });

  function endless(_: IncomingMessage, response: ServerResponse) {
    response.writeHead(200, json);
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, 0x20)));
    };
    response.on('drain', more);
    more();
  }

  function trickling(_: IncomingMessage, response: ServerResponse) {
    response.writeHead(200, json);
    const timer = setInterval(() => response.write(' '), 20);
    response.once('close', () => clearInterval(timer));
  }

  function resetInTheMiddle(request: IncomingMessage, response: ServerResponse) {
    response.writeHead(200, json);
    response.write(accepted.slice(0, 20), () => request.socket.resetAndDestroy());
  }

  function cutShort(request: IncomingMessage, response: ServerResponse) {
    response.writeHead(200, { ...json, 'content-length': '1000' });
    response.write(accepted, () => request.socket.end());
  }
});
