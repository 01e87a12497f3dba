import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { dueChannel } from '#shared/application/webhooks/database/tables.ts';
import { analystUrl } from '#projections/psql/login.ts';
import { setUpMerchant, type TestMerchant } from '../harness/merchant.ts';
import { noRateLimit } from '../harness/operator.ts';
import { startTestStack, type TestStack } from '../harness/test-stack.ts';
import { inTinyChunks, pipelined } from './flood.ts';

/** Disturbs the gateway until the signal is aborted. */
type Attack = (until: AbortSignal) => Promise<unknown>;
type Figures = { p50: number; p99: number; failed: number };

const perSecond = 20;
const seconds = 8;

/**
 * What the creates of one shop take before and during what another client sends, in milliseconds.
 * One line for each attack.
 */
export async function measureNeighbours(say: (line: string) => void): Promise<void> {
  const stack = await startTestStack();
  const settings = { rate_limit: noRateLimit };
  const [victim, attacker] = await Promise.all([
    setUpMerchant(stack, { settings }),
    setUpMerchant(stack, { settings }),
  ]);
  try {
    await creates(victim, 'warm-up');
    for (const [name, attack] of attacksOn(stack, attacker)) {
      const before = await creates(victim, `${name}, before`);
      const over = new AbortController();
      const attacked = attack(over.signal);
      const during = await creates(victim, `${name}, during`);
      over.abort();
      await attacked;
      const restarts = stack.output().match(/starts again/g)?.length ?? 0;
      say(
        `${name}: p99 ${before.p99} -> ${during.p99} ms (p50 ${before.p50} -> ${during.p50}), ` +
          `failed ${during.failed} of ${perSecond * seconds}, processes restarted ${restarts}`,
      );
    }
  } finally {
    await Promise.all([victim.close(), attacker.close()]);
    await stack.stop();
  }
}

/** Sent at their times, whatever the answers take. */
async function creates(shop: TestMerchant, run: string): Promise<Figures> {
  const took: number[] = [];
  let failed = 0;
  const one = async (at: number) => {
    const fromMs = performance.now();
    const answer = await shop.pay(`${run} ${at}`).catch(() => undefined);
    took.push(performance.now() - fromMs);
    if (answer?.status !== 200) failed += 1;
  };
  const all: Promise<void>[] = [];
  for (let at = 0; at < perSecond * seconds; at += 1) {
    all.push(one(at));
    await delay(1_000 / perSecond);
  }
  await Promise.all(all);
  took.sort((a, b) => a - b);
  const part = (share: number) => Math.round(took[Math.ceil(took.length * share) - 1] ?? 0);
  return { p50: part(0.5), p99: part(0.99), failed };
}

function attacksOn(stack: TestStack, { apiKey }: TestMerchant): [string, Attack][] {
  const port = (name: string) => Number(stack.env[name]);
  const key = { 'X-API-Key': apiKey };
  const json = { 'Content-Type': 'application/json' };
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const chunks = (target: string, headers: object) => inTinyChunks(target, { ...headers });
  const fields = Array.from({ length: 6_000 }, (_, at) => `"f${at}":1`).join();
  const gateway = port('GATEWAY_PORT');
  return [
    [
      'chunks of one byte, with a key',
      repeat(gateway, chunks('POST /v1/payment', { ...json, ...key }), 1),
    ],
    ['chunks of one byte, without a key', repeat(gateway, chunks('POST /v1/payment', json), 4)],
    [
      'chunks of one byte, callbacks',
      repeat(port('PROCESSOR_PORT'), chunks('POST /callbacks/sandbox', json), 6),
    ],
    [
      'chunks of one byte, sign-in of the portal',
      repeat(port('PORTAL_PORT'), chunks('POST /sign-in', form), 4),
    ],
    [
      'pipelined documents, answers not read',
      pipeline(gateway, pipelined('GET /docs/reference', 2_000), 8),
    ],
    ['6,000 unknown fields', repeat(gateway, post('/v1/payment', key, `{${fields}}`), 4)],
    [
      '6,000 unknown fields, nested',
      repeat(
        gateway,
        post('/v1/payment', key, `{"receipt":{${fields}},"client":[{${fields}}]}`),
        4,
      ),
    ],
    ['notifications of an analyst', notifications(stack)],
  ];
}

const post = (path: string, headers: Readonly<Record<string, string>>, body: string): string =>
  [
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`),
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  ].join('');

/** On so many connections at once, each again as soon as the server has ended it. */
function repeat(port: number, text: string, connections: number): Attack {
  const one = async (until: AbortSignal) => {
    while (!until.aborted) {
      await ended(port, text, { until });
      await delay(20);
    }
  };
  return (until) => Promise.all(Array.from({ length: connections }, () => one(until)));
}

function pipeline(port: number, text: string, connections: number): Attack {
  const deaf = (until: AbortSignal) => ended(port, text, { until, deaf: true });
  return (until) => Promise.all(Array.from({ length: connections }, () => deaf(until)));
}

function ended(
  port: number,
  text: string,
  { until, deaf = false }: { until: AbortSignal; deaf?: boolean },
): Promise<void> {
  return new Promise((resolve) => {
    const socket: Socket = connect(port, '127.0.0.1');
    const stop = () => socket.destroy();
    until.addEventListener('abort', stop);
    if (!deaf) socket.resume();
    socket.on('error', () => undefined);
    socket.on('close', () => {
      until.removeEventListener('abort', stop);
      resolve();
    });
    socket.write(text);
  });
}

/** As fast as PostgreSQL takes them, each for a shop that there is not. */
function notifications(stack: TestStack): Attack {
  return async (until) => {
    const client = new Client({
      connectionString: await analystUrl(stack.env['DATABASE_URL'] ?? ''),
    });
    await client.connect();
    for (let from = 0; !until.aborted; from += 5_000)
      await client.query(
        `select pg_notify($1, 'shop-' || md5(i::text)) from generate_series($2::int, $3::int) i`,
        [dueChannel, from, from + 5_000],
      );
    await client.end();
  };
}
