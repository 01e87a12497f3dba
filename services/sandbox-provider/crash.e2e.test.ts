import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { findFreePort } from '#infra/process/free-port.ts';
import { createClient } from './testing/client.ts';
import { startReceiver } from './testing/receiver.ts';
import { waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';

const apiKey = 'sandbox-test-key-0001';
const within = { timeout: waitLimitMs, interval: 20 };
const running = new Set<ChildProcess>();

afterEach(() => Promise.all([...running].map(kill)));

async function kill(child: ChildProcess): Promise<void> {
  running.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** The service in its own process, once it is ready. */
async function start(env: Record<string, string>): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['services/sandbox-provider/main.ts'], {
    env: { ...env, LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  running.add(child);
  const url = `http://127.0.0.1:${env['SANDBOX_PORT']}/readyz`;
  await vi.waitUntil(
    () =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    within,
  );
  return child;
}

/**
 * A gateway that rejects callbacks while it is unavailable, and a sandbox that can be restarted.
 */
async function prepare() {
  const gateway = { unavailable: true };
  const receiver = await startReceiver(() => (gateway.unavailable ? 503 : 204));
  onTestFinished(receiver.stop);
  const port = await findFreePort();
  const env = {
    SANDBOX_PORT: String(port),
    SANDBOX_API_KEY: apiKey,
    SANDBOX_CALLBACK_SECRET: 'whsec_c2FuZGJveC10ZXN0LWNhbGxiYWNrLXNlY3JldA==',
    SANDBOX_CALLBACK_URL: receiver.url,
    DATA_DIR: useTempFolder(),
  };
  const client = createClient({ url: `http://127.0.0.1:${port}`, apiKey });
  return { gateway, receiver, client, start: () => start(env) };
}

it('keeps attempts, timers and pending callbacks through kill -9 (R20.5)', async () => {
  const { gateway, receiver, client, start: startAgain } = await prepare();
  const first = await startAgain();

  const settled = await client.accepted({ expires_in_s: 600 });
  await client.control(settled.id, 'leg', { amount: '60.00' });
  await client.control(settled.id, 'settle', { result: 'completed' });
  const expiring = await client.accepted({ expires_in_s: 1 });
  const piloted = await client.accepted({ autopilot_ms: 1_000 });
  const withdrawn = `${randomUUID()}.1`;
  await client.withdraw(withdrawn);
  const delayed = `${randomUUID()}.1`;
  const cutOff = client.submit(delayed, { accept_delay_ms: 1_000 });
  // The kill interrupts it; on a slow machine it may be accepted before.
  cutOff.catch(() => undefined);
  const hanging = `${randomUUID()}.1`;
  const hung = client.submit(hanging, { accept: 'hang' }, { type: 'payout' });
  hung.catch(() => undefined);
  await vi.waitUntil(async () => (await client.look(hanging)).acceptance === 'received', within);
  const before = await client.look(settled.key);
  // The kill comes in the middle of these; each one with a response must survive.
  const burst = Array.from({ length: 50 }, () => `${randomUUID()}.1`);
  const answered = new Map<string, string>();
  const submitting = burst.map(async (key) => {
    const { text } = await client.submit(key);
    answered.set(key, text);
    if (answered.size === 20) first.kill('SIGKILL');
  });
  await Promise.allSettled(submitting);
  await kill(first);
  const early = await cutOff.then(
    ({ body }) => body.acceptance,
    (error: unknown) => (error as Error).message,
  );
  expect(['fetch failed', 'accepted']).toContain(early);
  await expect(hung).rejects.toThrow('fetch failed');
  expect(answered.size).toBeGreaterThanOrEqual(20);

  // After a restart, it sends its callbacks without any request.
  const rejected = receiver.of(settled.id).length;
  gateway.unavailable = false;
  await startAgain();
  const lastOf = (key: string) => receiver.of(key.slice(0, -2)).at(-1)?.snapshot;
  await vi.waitUntil(
    () =>
      receiver.of(settled.id).length > rejected &&
      lastOf(settled.key)?.status === 'completed' &&
      lastOf(expiring.key)?.status === 'expired' &&
      lastOf(piloted.key)?.status === 'completed' &&
      // What was answered before the kill has no callback.
      (early === 'accepted' || lastOf(delayed)?.acceptance === 'accepted'),
    within,
  );
  for (const [key, text] of answered) expect((await client.submit(key)).text).toBe(text);
  expect((await client.submit(withdrawn)).body.acceptance).toBe('void');
  expect((await client.look(hanging)).acceptance).toBe('received');
  expect(await client.look(settled.key)).toEqual(before);
  await vi.waitUntil(
    async () =>
      (await client.history(settled.id)).callbacks.every(
        (one: { state: string }) => one.state === 'delivered',
      ),
    within,
  );
  expect((await client.history(settled.id)).callbacks).toMatchObject([
    { body: { status: 'open', legs: [{ amount: '60.00' }] } },
    { body: { status: 'completed', legs: [{ amount: '60.00' }, { amount: '40.00' }] } },
  ]);
});
