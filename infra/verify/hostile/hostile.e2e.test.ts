import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '#infra/process/free-port.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { askAdmin } from '#infra/verify/harness/shops/merchant.ts';
import { crowd } from './crowd.ts';
import { floodUntilClosed, inTinyChunks, pipelined } from './flood.ts';
import { fuzz } from './fuzz.ts';
import { probeMemory, type MemoryProbe } from './memory.ts';
import {
  echoingProvider,
  found,
  listenFor,
  plant,
  planted,
  waysIn,
  type Listener,
} from './plants.ts';
import { listTargets } from './targets.ts';
import { accountWays } from './attacked-account.ts';
import { startAttackedStack, type AttackedStack } from './attacked-stack.ts';

const seed = 20_260_131;
const megabyte = 1024 * 1024;
/** The services that the requests go to. */
const askedOften = ['merchant-api', 'admin', 'payment-page', 'sandbox-provider', 'processor'];

let attacked: AttackedStack;
let memory: MemoryProbe;
let [provider, collector, deadEnd]: Listener[] = [];
beforeAll(async () => {
  const sandboxPort = await findFreePort();
  provider = await echoingProvider(sandboxPort);
  collector = await listenFor(async () => ({ status: 200, body: '{}' }));
  deadEnd = await listenFor(async (_, body) => ({ status: 500, body: `failed: ${body}` }));
  attacked = await startAttackedStack({
    LOG_LEVEL: 'trace',
    SANDBOX_PORT: String(sandboxPort),
    SANDBOX_URL: provider.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    WEBHOOK_RETRY_SCHEDULE: '0s,1s',
  });
  memory = await probeMemory(attacked.stack);
});
afterAll(async () => {
  (memory as MemoryProbe | undefined)?.close();
  await (attacked as AttackedStack | undefined)?.stop();
  for (const listener of [provider, collector, deadEnd]) await listener?.close();
});

describe('hostile requests', () => {
  it('are answered in time on every port, without a 5xx and without a leak of memory (R2.10)', async () => {
    const targets = listTargets(attacked);
    const warmUp = await fuzz(targets, { seed, count: 200 });
    const before = await memory.all(askedOften);
    const { findings, statuses, sent } = await fuzz(targets, { seed, first: 200, count: 600 });
    expect([...warmUp.findings, ...findings]).toEqual([]);
    // Not all are rejected by the first check.
    for (const status of [200, 204, 400, 404, 405]) expect(statuses.get(status)).toBeGreaterThan(0);
    expect(sent).toBe(600);
    const after = await memory.all(askedOften);
    for (const [name, { heapBytes, rssBytes }] of after) {
      const was = before.get(name) ?? { heapBytes: 0, rssBytes: 0 };
      expect(
        (heapBytes - was.heapBytes) / megabyte,
        `${name} holds more than before, in MB`,
      ).toBeLessThan(12);
      expect(
        (rssBytes - was.rssBytes) / megabyte,
        `${name} is larger than before, in MB`,
      ).toBeLessThan(120);
    }
  });
});

describe('bytes that are cheap to send and expensive to handle', () => {
  const json = { 'Content-Type': 'application/json' };
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const multipart = { 'Content-Type': 'multipart/form-data; boundary=x' };
  const key = () => ({ 'X-API-Key': attacked.shop.apiKey });
  const token = () => ({ Authorization: `Bearer ${attacked.stack.adminToken}` });
  const none = () => ({});
  const urls = () => ({
    ...attacked.stack.urls,
    processor: `http://127.0.0.1:${attacked.stack.env['PROCESSOR_PORT']}`,
  });
  const portOf = (name: keyof ReturnType<typeof urls>) => Number(new URL(urls()[name]).port);

  // Routes that read their body: Node drops an unread body cheaply.
  it.each([
    ['gateway', 'POST /v1/payment', json, key],
    ['gateway', 'POST /v1/confirm_payment', multipart, key],
    ['admin', 'POST /admin/v1/merchants', json, token],
    ['admin', 'POST /sign-in', form, none],
    ['portal', 'POST /sign-in', form, none],
    ['processor', 'POST /callbacks/sandbox', json, none],
  ] as const)(
    '%s, %s: closes the connection of a body in tiny chunks',
    async (name, target, type, of) => {
      const text = inTinyChunks(target, { ...type, ...of() });
      const [status] = await floodUntilClosed(portOf(name), text);
      // None arrives if the server closes while the client is still writing.
      expect([undefined, 400]).toContain(status);
    },
  );

  const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`f${at}`, 1]));
  const sandboxKey = () => ({ Authorization: `Bearer ${attacked.stack.env['SANDBOX_API_KEY']}` });
  const large = (name: string, body: unknown, pointer: string) =>
    [name, JSON.stringify(body), pointer] as const;
  it.each([
    ['gateway', 'POST /v1/payment', key],
    ['gateway', 'POST /v1/cancel_operation', key],
    ['gateway', 'POST /v1/get_operation_state', key],
    ['admin', 'POST /admin/v1/merchants', token],
    ['admin', 'POST /admin/v1/shops', token],
    ['sandbox', 'PUT /v1/attempts/x.1', sandboxKey],
  ] as const)(
    '%s, %s: rejects thousands of fields with one error, at any depth (R2.3)',
    async (name, target, of) => {
      const [method = '', path = ''] = target.split(' ');
      for (const [what, body, pointer] of [
        large('flat', fields, ''),
        large('in a field', { options: fields }, '/options'),
        large(
          'deep',
          Array.from({ length: 50 }).reduce((inner) => [inner], fields),
          '/0'.repeat(50),
        ),
        large('in a list', { routes: Array.from({ length: 5_000 }, () => 1) }, '/routes'),
      ]) {
        const headers = { ...json, ...of() };
        const answer = await fetch(`http://127.0.0.1:${portOf(name)}${path}`, {
          method,
          headers,
          body,
        });
        const { errors } = (await answer.json()) as { errors: { pointer: string }[] };
        const pointers = errors.map((error) => error.pointer);
        expect([what, answer.status, pointers]).toEqual([what, 400, [pointer]]);
      }
    },
  );

  it.each(['admin', 'portal'] as const)(
    '%s: rejects a form of thousands of fields',
    async (name) => {
      const answer = await fetch(`http://127.0.0.1:${portOf(name)}/sign-in`, {
        method: 'POST',
        headers: form,
        body: Object.keys(fields).join('&'),
      });
      expect(answer.status).toBe(400);
    },
  );

  it.each(['gateway', 'admin', 'portal', 'pay', 'sandbox', 'processor'] as const)(
    '%s: answers twenty thousand pipelined requests, and another connection',
    async (name) => {
      const count = 20_000;
      // Connected before, so that only the server decides when it is answered.
      const other = connect(portOf(name), '127.0.0.1');
      await once(other, 'connect');
      const flood = floodUntilClosed(portOf(name), pipelined('GET /livez', count), () =>
        other.write(pipelined('GET /livez', 1)),
      );
      // When it is answered depends on the client too: `pipelining.test.ts` counts.
      const [answer] = await once(other, 'data');
      other.destroy();
      expect(String(answer)).toMatch(/^HTTP\/1\.1 204 /);
      expect(await flood).toEqual(Array.from({ length: count }, () => 204));
    },
  );
});

describe('idle connections', () => {
  it('stay open by the hundred, and fail no other request', async () => {
    const { opened, held, failed } = await crowd(attacked, { connections: 500, requests: 20 });
    expect({ opened, held, failed }).toEqual({ opened: 500, held: 500, failed: 0 });
  });
});

describe('secrets and personal data', () => {
  it('are absent from log lines, errors, metrics and traces, however they arrive (R17.9)', async () => {
    const { stack, shop, spare } = attacked;
    const hook = `${deadEnd?.url}/hook?token=${planted['a webhook’s own token']}`;
    const at = `/shops/${shop.shopId}/webhook`;
    const { body: webhook } = await askAdmin(stack, 'POST', `${at}/rotate-secret`);
    await askAdmin(stack, 'PUT', at, { url: hook });
    const urls = { ...stack.urls, processor: `http://127.0.0.1:${stack.env['PROCESSOR_PORT']}` };
    // A payment without a receipt, whatever the hostile requests have done to the others.
    const awaiting = await attacked.create('planted', { method: 'WT_RUB_PHONE' });
    const doors = { key: shop.apiKey, token: stack.adminToken, awaiting, shopId: spare.shopId };
    const ways = waysIn(urls, doors);
    const answers = await plant([
      ...ways,
      ...accountWays(urls, stack.adminToken, attacked.account),
    ]);
    const confirmed = answers.filter(({ to }) => to.endsWith('/v1/confirm_payment'));
    expect(confirmed.map(({ status }) => status)).toEqual([200]);
    await eventually('the webhook fails', () => (deadEnd?.taken.length ?? 0) > 0);

    const secrets: Record<string, string> = {
      ...planted,
      'the shop’s API key': shop.apiKey,
      'the webhook’s secret': webhook.secret,
      'an account’s key': attacked.account.credentials.api_key,
      'an account’s secret': attacked.account.credentials.callback_secret,
    };
    for (const name of [
      'ADMIN_TOKEN',
      'RECEIPT_URL_SECRET',
      'PERSONAL_DATA_KEY',
      'PROVIDER_CREDENTIALS_KEY',
      'PROVIDER_CALLBACKS_KEY',
      'CHECKPOINT_SIGNING_KEY',
      'SANDBOX_API_KEY',
      'BANK_KEY',
      'SANDBOX_CALLBACK_SECRET',
    ])
      secrets[name] = stack.env[name] ?? '';
    for (const [index, pair] of (stack.env['LOG_SIGNING_KEYS'] ?? '').split(',').entries())
      secrets[`key ${index} of LOG_SIGNING_KEYS`] = pair.slice(pair.indexOf('=') + 1);
    for (const name of ['DATABASE_URL', 'NATS_URL'])
      secrets[`the password of ${name}`] = new URL(stack.env[name] ?? '').password;
    expect(Object.entries(secrets).filter(([, value]) => value === '')).toEqual([]);

    const lines = stack
      .output()
      .split('\n')
      .filter((line) => !line.startsWith('  Admin token '));
    expect(lines.filter((line) => found(line, secrets).length > 0)).toEqual([]);
    const errors = answers.filter(({ status, to }) => status >= 400 && !to.includes('/v1/payment'));
    const leaks = errors.flatMap(({ to, text, headers }) => {
      // An error may echo the URL of its request, but no other secret.
      const leaked = found(text + headers, secrets).filter(
        (what) => !found(to, secrets).includes(what),
      );
      return leaked.length > 0 ? [{ to, leaked, text }] : [];
    });
    expect(leaks).toEqual([]);
    const ports = [
      'GATEWAY_METRICS_PORT',
      'PAY_METRICS_PORT',
      'ADMIN_PORT',
      'PROCESSOR_PORT',
      'PROJECTIONS_PORT',
      'WEBHOOKS_PORT',
      'SANDBOX_PORT',
    ];
    for (const port of ports) {
      const metrics = await (await fetch(`http://127.0.0.1:${stack.env[port]}/metrics`)).text();
      expect(metrics).toContain('gateway_http_request_duration_seconds');
      expect(found(metrics, secrets)).toEqual([]);
    }
    expect(collector?.taken.length).toBeGreaterThan(0);
    expect(found((collector?.taken ?? []).join('\n'), secrets)).toEqual([]);
  });

  it.concurrent.each([
    ['malformed settings', 'not-a-port', 'x'],
    ['unreachable stores', '1', 'PLANTED-PASSWORD-1'],
  ])('are absent from the output of a service with %s', async (_, port, token) => {
    const password = planted['a password'];
    const env = {
      ...attacked.stack.env,
      EVENT_STORE_URL: `esdb://admin:${password}@127.0.0.1:${port}?tls=false`,
      DATABASE_URL: `postgres://gateway:${password}@127.0.0.1:${port}/gateway`,
      NATS_URL: `nats://gateway:${password}@127.0.0.1:${port}`,
      ADMIN_TOKEN: token,
      RECEIPT_URL_SECRET: token,
      SANDBOX_CALLBACK_SECRET: `whsec_${password}!`,
      PAY_BASE_URL: `http://payer:${password}@nowhere`,
      LOG_LEVEL: 'trace',
      GATEWAY_PORT: '0',
      ADMIN_PORT: '0',
      WEBHOOKS_PORT: '0',
      NODE_OPTIONS: '',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    };
    const mains = ['services/back-office/main.ts', 'services/webhooks/main.ts'];
    const output = await Promise.all(mains.map((main) => wordsOf(main, env)));
    for (const words of output) {
      expect(words).not.toMatch(/^$|MODULE_NOT_FOUND/);
      expect(found(words, { password })).toEqual([]);
    }
  });
});

const root = fileURLToPath(new URL('../../..', import.meta.url));
const goesOnMs = 800;

/** The output of a program until it exits, or is killed shortly after its first output. */
async function wordsOf(main: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, [main], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, heard] = ['', false];
  const hear = (chunk: Buffer) => {
    output += chunk.toString();
    if (!heard) setTimeout(() => child.kill('SIGKILL'), goesOnMs);
    heard = true;
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  await once(child, 'close');
  return output;
}
