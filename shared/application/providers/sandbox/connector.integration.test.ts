import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { openServer, type LoopbackServer } from '#infra/verify/harness/processes/loopback.ts';
import { routeSchema } from '#shared/domain/routing.ts';
import { useSandbox } from '#services/sandbox-provider/testing/use-sandbox.ts';
import { secretHint as hintOf } from '#shared/platform/standard-webhooks.ts';
import type { Submission } from '../connector.ts';
import { sandboxAttempt } from '../testing/attempt.ts';
import { createSandboxConnector, type SandboxConnector } from './connector.ts';
import { signCallback } from './signature.ts';
import type { WireSnapshot } from './wire.ts';

const secrets = {
  SANDBOX_API_KEY: 'sandbox-test-key-0001',
  SANDBOX_CALLBACK_SECRET: 'whsec_c2FuZGJveC1jYWxsYmFjay1zZWNyZXQtMQ==',
  SANDBOX_CALLBACK_SECRET_PREVIOUS: 'whsec_dGhlLWNhbGxiYWNrLXNlY3JldC1iZWZvcmU=',
};
/** The provider’s version counter of an attempt. */
const version = expect.any(Number);
const connect = (url: string, change: Partial<typeof secrets> = {}) => {
  const { SANDBOX_API_KEY: apiKey, ...callback } = { ...secrets, ...change };
  const { SANDBOX_CALLBACK_SECRET: current, SANDBOX_CALLBACK_SECRET_PREVIOUS: previous } = callback;
  return createSandboxConnector({ url, apiKey, callbackSecrets: [current, previous], logger });
};

const submission = (
  options: object = {},
  change: Omit<Partial<Submission>, 'route'> & { route?: object } = {},
): Submission => ({
  operationId: randomUUID(),
  attempt: 1,
  type: 'payment',
  acceptUntil: new Date().toISOString(),
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
const unknown = { outcome: 'unknown', cause: 'error' };
const unavailable = { outcome: 'unavailable', cause: 'error' };
const refused = (reason: string) => ({ outcome: 'refused', reason });
/** Fields that all reports have. */
const reportFields = { attempt: 1, version, evidence: 'legs' };
const bounds = { timeoutMs: 20_000 };
const shortBounds = { timeoutMs: 200 };

describe('sandbox connector', () => {
  const testSandbox = useSandbox();
  let connector: SandboxConnector;
  let close: () => Promise<void>;
  beforeAll(() => {
    ({ connector, close } = connect(testSandbox.sandbox.url, testSandbox.sandbox.config));
  });
  afterAll(() => close());

  it('returns an acceptance with requisites, also when repeated and polled', async () => {
    const conversion = { settlement_currency: 'USD', fx_source: 'sandbox' };
    const submitted = submission(
      { expires_in_s: 60, fx_rate: '0.0125' },
      { route: { conversion } },
    );
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
      report: { ...reportFields, status: 'open', legs: [] },
    });
  });

  it('sends the destination of a payout, not of a payment', async () => {
    const request = {
      ...submission().request,
      destination: { number: '+79001234567', bankname: 'vtb' },
    };
    const payout = submission({}, { type: 'payout', request, route: { type: 'payout' } });
    const payment = submission({}, { request });
    expect(await connector.submit(payout, bounds)).toEqual({
      outcome: 'accepted',
      providerReference: expect.any(String),
    });
    await connector.submit(payment, bounds);
    const seen = async ({ operationId }: Submission) =>
      (await testSandbox.client.history(operationId)).submissions[0].request;
    expect((await seen(payout)).destination).toEqual(request.destination);
    expect(await seen(payment)).not.toHaveProperty('destination');
  });

  it('returns a refusal when it submits, polls and withdraws', async () => {
    const submitted = submission({ accept: 'decline' });
    const answer = refused('declined');
    expect(await connector.submit(submitted, bounds)).toEqual(answer);
    const report = { ...reportFields, status: 'declined', legs: [] };
    expect(await connector.ask(submitted, bounds)).toEqual({ outcome: 'known', answer, report });
    expect(await connector.withdraw(submitted, bounds)).toEqual({
      outcome: 'withdrawn',
      answer,
      report,
    });
  });

  it('reports an error or a hang as unknown until the withdrawal (R13.13)', async () => {
    const failing = submission({ accept: 'error' });
    const hanging = submission({ accept: 'hang' });
    expect(await connector.submit(failing, bounds)).toEqual(unknown);
    const left = new AbortController();
    const hung = connector.submit(hanging, { ...bounds, signal: left.signal });
    const arrived = () => testSandbox.client.look(`${hanging.operationId}.1`);
    await expect.poll(arrived).toMatchObject({ acceptance: 'received' });
    left.abort();
    expect(await hung).toEqual(unknown);
    for (const submitted of [failing, hanging]) {
      expect(await connector.ask(submitted, bounds)).toEqual({
        outcome: 'unknown',
        cause: 'undecided',
      });
      expect(await connector.withdraw(submitted, bounds)).toEqual({
        outcome: 'withdrawn',
        answer: refused('withdrawn'),
        report: { ...reportFields, status: 'withdrawn', legs: [] },
      });
      expect(await connector.ask(submitted, bounds)).toMatchObject({
        outcome: 'known',
        answer: refused('withdrawn'),
      });
    }
  });

  it('returns a quote, whose rate the acceptance uses, or the reason of a refusal', async () => {
    const quoted = (options: object, conversion: object | undefined, change: object = {}) =>
      submission(options, {
        route: { ...(conversion && { conversion }) },
        type: 'payout',
        ...change,
      });
    const usd = { settlement_currency: 'USD', fx_source: 'sandbox' };
    for (const [options, rate] of [
      [{ fx_rate: '0.0125' }, '0.012500'],
      [{}, '0.012500'],
      [{ fx_rate: '0.02', accept: 'decline' }, '0.020000'],
    ] as const) {
      expect(await connector.quote(quoted(options, usd), bounds)).toEqual({
        outcome: 'quoted',
        rate,
      });
    }
    const accepted = quoted({ fx_rate: '0.02' }, usd);
    await connector.quote(accepted, bounds);
    expect(await connector.submit(accepted, bounds)).toMatchObject({ fxRate: '0.020000' });
    for (const [wanted, reason] of [
      [quoted({}, undefined), 'the route does not convert'],
      [quoted({ typo: 1 }, usd), 'options_invalid: typo'],
      [quoted({}, usd, { request: { ...submission().request, currency: 'XAU' } }), 'no_quote'],
    ] as const) {
      expect(await connector.quote(wanted, bounds)).toEqual(refused(reason));
    }
  });

  it('submits a receipt once per id, and returns its review status', async () => {
    const submitted = submission();
    const pdf = {
      receiptId: randomUUID(),
      content: Buffer.from('%PDF-1.4 a'),
      contentType: 'application/pdf',
    };
    expect(await connector.submitReceipt(submitted, pdf, bounds)).toEqual(refused('not_found'));
    const answer = await connector.submit(submitted, bounds);
    const waiting = { receiptId: pdf.receiptId, state: 'waiting' };
    const taken = {
      outcome: 'taken',
      answer,
      report: { ...reportFields, status: 'open', legs: [], review: waiting },
    };
    expect(await connector.submitReceipt(submitted, pdf, bounds)).toEqual(taken);
    expect(await connector.submitReceipt(submitted, pdf, bounds)).toEqual(taken);
    const changed = { ...pdf, content: Buffer.from('%PDF-1.4 b') };
    expect(await connector.submitReceipt(submitted, changed, bounds)).toEqual(
      refused('idempotency_body_mismatch'),
    );
    const another = { ...pdf, receiptId: randomUUID() };
    expect(await connector.submitReceipt(submitted, another, bounds)).toEqual(
      refused('confirmation_not_expected'),
    );
    const [receipt, ...more] = (await testSandbox.client.history(submitted.operationId)).receipts;
    expect(receipt).toMatchObject({
      receipt_id: pdf.receiptId,
      content_type: 'application/pdf',
      times: 2,
    });
    expect(more).toEqual([]);
    await testSandbox.client.control(submitted.operationId, 'review', { result: 'potential_fake' });
    const [callback] = await testSandbox.callbacks(submitted.operationId, 1);
    expect(
      connector.reports.readCallback(callback!.headers, callback!.body, Date.now()),
    ).toMatchObject({
      report: { review: { receiptId: pdf.receiptId, state: 'flagged', reason: 'potential_fake' } },
    });
    await testSandbox.client.control(submitted.operationId, 'review', { result: 'flagged' });
    const polled = await connector.ask(submitted, bounds);
    if (polled.outcome !== 'known') throw new Error('not known');
    expect(polled.report.review).toEqual({ receiptId: pdf.receiptId, state: 'flagged' });
  });

  it('returns evidence: files, amounts only, or none yet', async () => {
    const paid = async (options: object) => {
      const submitted = submission(options);
      await connector.submit(submitted, bounds);
      const legs = [{ amount: '60.00' }, { amount: '40.00', file: false }];
      await testSandbox.client.control(submitted.operationId, 'settle', {
        result: 'completed',
        legs,
      });
      return submitted;
    };
    const complete = await paid({});
    const partial = await paid({ evidence: 'partial' });
    const none = await paid({ evidence: 'unavailable' });
    const evidence = await connector.evidence(complete, bounds);
    const [first, second] = evidence.outcome === 'known' ? evidence.items : [];
    const item = { leg_id: expect.any(String), completed_at: expect.stringMatching(/\.\d{3}Z$/) };
    expect(evidence).toEqual({
      outcome: 'known',
      status: 'complete',
      items: [
        { ...item, amount: '60.00', file: true, synthetic: false },
        { ...item, amount: '40.00', file: false, synthetic: false },
      ],
    });
    expect(await connector.evidence(partial, bounds)).toMatchObject({
      status: 'partial',
      items: [{ synthetic: false }, { synthetic: true, file: false }],
    });
    expect(await connector.evidence(none, bounds)).toEqual(unavailable);
    expect(await connector.evidence(submission(), bounds)).toEqual(unavailable);

    const file = await connector.fetchReceiptFile(complete, first?.leg_id ?? '', bounds);
    expect(file).toMatchObject({ outcome: 'file', contentType: 'application/pdf' });
    expect(Buffer.from(file.outcome === 'file' ? file.content : []).toString('latin1')).toMatch(
      /^%PDF-1/,
    );
    expect(await connector.fetchReceiptFile(complete, second?.leg_id ?? '', bounds)).toEqual({
      outcome: 'none',
    });
    expect(await connector.fetchReceiptFile(none, 'leg', bounds)).toEqual(unavailable);
  });

  it.each([
    [{}, 'legs'],
    [{ evidence: 'unavailable' }, undefined],
  ])(
    'reports the evidence for options %j in responses and callbacks: %j',
    async (options, evidence) => {
      const submitted = submission(options);
      await connector.submit(submitted, bounds);
      await testSandbox.client.control(submitted.operationId, 'settle', { result: 'completed' });
      const polled = await connector.ask(submitted, bounds);
      const [callback] = await testSandbox.callbacks(submitted.operationId, 1);
      const read = connector.reports.readCallback(callback!.headers, callback!.body, Date.now());
      for (const each of [polled, read]) {
        if (!('report' in each)) throw new Error('no report');
        expect(each.report.evidence).toBe(evidence);
        expect(each.report.legs).toHaveLength(1);
      }
    },
  );

  it('reports an unknown outcome with a wrong API key', async () => {
    const stranger = connect(testSandbox.sandbox.url, { SANDBOX_API_KEY: 'the-key-of-a-stranger' });
    expect(await stranger.connector.submit(submission(), bounds)).toEqual(unknown);
    await stranger.close();
  });

  it('works with the previous API key during a rotation', async () => {
    const { SANDBOX_API_KEY_PREVIOUS: previous } = testSandbox.sandbox.config;
    const earlier = connect(testSandbox.sandbox.url, { SANDBOX_API_KEY: previous });
    expect(await earlier.connector.submit(submission(), bounds)).toMatchObject({
      outcome: 'accepted',
    });
    await earlier.close();
  });
});

describe('a callback', () => {
  const { connector, close } = connect('http://127.0.0.1:9');
  afterAll(() => close());
  const nowMs = Date.now();
  const read = (value: unknown, secret = secrets.SANDBOX_CALLBACK_SECRET) => {
    const body = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
    const headers = new Headers({ ...signCallback(secret, { id: 'id', body, nowMs }) });
    return connector.reports.readCallback(headers, body, nowMs);
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

  const aLeg = (leg_id: string) => ({
    leg_id,
    amount: '1.00',
    completed_at: '2026-01-31T12:00:00Z',
    file: true,
  });

  it('is accepted only with a signature of the provider', () => {
    const header = { id: 'id', timestamp: String(Math.floor(nowMs / 1000)) };
    const signature = expect.stringMatching(/^v1,.{44}$/);
    const secretHint = hintOf(secrets.SANDBOX_CALLBACK_SECRET);
    const body = Buffer.from(JSON.stringify(snapshot));
    expect(read(snapshot)).toEqual({
      ok: true,
      operationId: 'op',
      signed: { ...header, signature, secretHint, body },
      answer: { outcome: 'accepted', providerReference: 'r' },
      report: { attempt: 2, version, status: 'declined', legs: [] },
    });
    const unsigned = { ok: false, reason: 'signature' };
    expect(read(snapshot, 'whsec_dGhlIHNlY3JldCBvZiBzb21lYm9keSBlbHNl')).toEqual(unsigned);
    const previousSecret = secrets.SANDBOX_CALLBACK_SECRET_PREVIOUS;
    expect(read(snapshot, previousSecret)).toMatchObject({
      ok: true,
      signed: { secretHint: hintOf(previousSecret) },
    });
    expect(connector.reports.readCallback(new Headers(), Buffer.from('{}'), nowMs)).toEqual(
      unsigned,
    );
  });

  it('has its refusal reason sanitised and truncated', () => {
    const reasoned = {
      ...snapshot,
      acceptance: 'refused',
      refusal_reason: `a\0\ud800${'b'.repeat(9_000)}`,
    };
    expect(read(reasoned)).toMatchObject({
      answer: { outcome: 'refused', reason: `a\uFFFD\uFFFD${'b'.repeat(497)}` },
    });
  });

  it('has its times normalised', () => {
    const legs = ['00Z', '00.5Z', '00.123456Z'].map((seconds) => ({
      ...aLeg(seconds),
      completed_at: `2026-01-31T12:00:${seconds}`,
    }));
    const normalised = ['00.000Z', '00.500Z', '00.123Z'].map((seconds) => ({
      completed_at: `2026-01-31T12:00:${seconds}`,
    }));
    expect(read({ ...snapshot, legs, expires_at: '2026-01-31T12:15:00Z' })).toMatchObject({
      answer: { expiresAt: '2026-01-31T12:15:00.000Z' },
      report: { legs: normalised },
    });
  });

  it.each([
    ['not JSON', '<html>'],
    ['not an object', 'null'],
    ['a wrong shape', { ...snapshot, legs: [{ leg_id: 'x', amount: '-1.00' }] }],
    ['an unknown status', { ...snapshot, status: 'lost' }],
    ['two attempts', { ...snapshot, attempt: 1 }],
    ['a void acceptance', { ...snapshot, acceptance: 'void' }],
    ['an undecided acceptance', { ...snapshot, acceptance: 'received' }],
    ['a null character', { ...snapshot, reference: 'a\0b' }],
    ['a lone surrogate', { ...snapshot, requisites: { number: '1', name: '\ud800' } }],
    ['an expiry time in year 0', { ...snapshot, expires_at: '0000-01-01T00:00:00Z' }],
    [
      'a leg completed in year 0',
      { ...snapshot, legs: [{ ...aLeg('a'), completed_at: '0000-12-31T00:00:00Z' }] },
    ],
    ['a leg id of 257 characters', { ...snapshot, legs: [aLeg('a'.repeat(257))] }],
  ])('is malformed: %s', (_, value) => {
    expect(read(value)).toEqual({ ok: false, reason: 'malformed' });
  });
});

describe('sandbox connector with a misbehaving provider', () => {
  type Handler = (request: IncomingMessage, response: ServerResponse) => void;
  let handle: Handler = () => undefined;
  let requests = 0;
  let server: LoopbackServer;
  let connector: SandboxConnector;
  let close: () => Promise<void>;
  beforeAll(async () => {
    server = await openServer((request, response) => {
      requests += 1;
      request.resume();
      handle(request, response);
    });
    ({ connector, close } = connect(server.url));
  });
  afterAll(async () => {
    await close();
    await server.close();
  });

  const json = { 'content-type': 'application/json' };
  const attempt = sandboxAttempt('op');
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

  it('ignores interim responses', async () => {
    const answer = answering(200, json, accepted);
    handle = (request, response) => {
      response.socket?.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(2));
      response.socket?.write('HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n');
      answer(request, response);
    };
    requests = 0;
    expect(await connector.submit({ ...submission(), operationId: 'op' }, bounds)).toMatchObject({
      outcome: 'accepted',
    });
    expect(requests).toBe(1);
  });

  const conversion = { settlement_currency: 'USD', fx_source: 'sandbox' };
  const converting = submission({}, { route: { conversion } });
  const receipt = { receiptId: 'r', content: Buffer.from('%PDF-'), contentType: 'application/pdf' };

  it('limits a receipt file to 10 MiB', async () => {
    const pdf = { 'content-type': 'application/pdf' };
    const bound = 10 * 1024 * 1024;
    handle = answering(200, pdf, Buffer.alloc(bound));
    expect(await connector.fetchReceiptFile(attempt, 'leg', bounds)).toMatchObject({
      outcome: 'file',
    });
    handle = answering(200, pdf, Buffer.alloc(bound + 1));
    expect(await connector.fetchReceiptFile(attempt, 'leg', bounds)).toMatchObject({
      outcome: 'unavailable',
    });
    handle = answering(404, { 'content-type': 'text/html' }, '<h1>404</h1>');
    expect(await connector.fetchReceiptFile(attempt, 'leg', bounds)).toMatchObject({
      outcome: 'unavailable',
    });
  });

  const faults: [string, 'error' | 'timeout', Handler][] = [
    ['a 502 with JSON', 'error', answering(502, json, accepted)],
    ['a 201', 'error', answering(201, json, accepted)],
    [
      'a problem document',
      'error',
      answering(400, { 'content-type': 'application/problem+json' }, '{}'),
    ],
    ['a redirect', 'error', answering(307, { ...json, location: '/elsewhere' }, accepted)],
    ['another shape', 'error', answering(200, json, '{"acceptance":"accepted"}')],
    ['another attempt', 'error', answering(200, json, accepted.replace('"op.1"', '"op.2"'))],
    [
      'another operation',
      'error',
      answering(200, json, JSON.stringify({ ...good, key: 'po.1', operation_id: 'po' })),
    ],
    ['an oversized body', 'error', answering(200, json, `${' '.repeat(300 * 1024)}${accepted}`)],
    ['a reset', 'error', (request) => request.socket.resetAndDestroy()],
    ['no response', 'timeout', () => undefined],
    // Only a deadline for the whole response ends the wait.
    ['a trickling body', 'timeout', trickling],
  ];

  it.each(faults)(
    'treats %s as an unknown outcome (%s) of every call (R13.13)',
    async (what, cause, handler) => {
      handle = handler;
      const result = { outcome: 'unknown', cause };
      const within = cause === 'timeout' ? shortBounds : bounds;
      const requestsBefore = requests;
      expect(await connector.submit({ ...submission(), operationId: 'op' }, within)).toEqual(
        result,
      );
      expect(await connector.ask(attempt, within)).toEqual(result);
      expect(await connector.withdraw(attempt, within)).toEqual(result);
      expect(await connector.quote({ ...converting, operationId: 'op' }, within)).toEqual(result);
      expect(await connector.submitReceipt(attempt, receipt, within)).toEqual(result);
      expect(await connector.evidence(attempt, within)).toEqual({ outcome: 'unavailable', cause });
      // Redirects are not followed, and only a request on a closed connection is retried. On a busy
      // machine the timeout may expire before a request has arrived.
      const received = requests - requestsBefore;
      const expected = what === 'a reset' ? 12 : 6;
      expect(cause === 'timeout' ? Math.max(received, expected) : received).toBe(expected);
    },
  );

  it('answers a call while many others hang', async () => {
    handle = (request, response) => {
      if (request.url?.includes('hang')) return;
      response.writeHead(200, json).end(accepted);
    };
    const over = new AbortController();
    const hanging = Array.from({ length: 100 }, (_, index) =>
      connector.ask(sandboxAttempt(`hang${index}`), { timeoutMs: 60_000, signal: over.signal }),
    );
    expect((await connector.ask(attempt, { timeoutMs: 30_000 })).outcome).toBe('known');
    over.abort();
    expect(await Promise.all(hanging)).toEqual(hanging.map(() => unknown));
    const aborted = { timeoutMs: 60_000, signal: over.signal };
    expect(await connector.ask(attempt, aborted)).toEqual(unknown);
  });

  function trickling(_: IncomingMessage, response: ServerResponse) {
    response.writeHead(200, json);
    const timer = setInterval(() => response.write(' '), 20);
    response.once('close', () => clearInterval(timer));
  }
});
