import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { newWebhookSecret } from '#shared/application/credentials.ts';
import { signedHeaders } from '#shared/application/webhooks/sign.ts';
import { startSink } from './sink.ts';

const secret = newWebhookSecret();
const lines: string[] = [];
const sink = forFile(() =>
  startSink({
    host: '127.0.0.1',
    port: 0,
    status: 202,
    secret: () => secret,
    print: (line) => lines.push(line),
  }),
);

const operation = {
  merchant_operation_id: 'order-1',
  operation_id: 'id-1',
  actual_amount: '100.00',
};
const body = JSON.stringify({ type: 'payment.completed', sequence: 2, data: { operation } });
const send = (headers: Record<string, string>, sent = body) =>
  fetch(`http://127.0.0.1:${sink.port}/`, { method: 'POST', headers, body: sent });
const now = () => Math.floor(Date.now() / 1000);

it('prints a verified webhook, and responds with the configured status', async () => {
  const { status } = await send(signedHeaders({ id: 'm', timestampS: now(), body }, [secret]));
  expect(status).toBe(202);
  expect(lines.at(-1)).toBe(
    'webhook payment.completed order-1 id-1 amount 100.00 (#2, signature valid)',
  );
});

it('prints why it rejects a webhook', async () => {
  const headers = signedHeaders({ id: 'm', timestampS: now(), body }, [newWebhookSecret()]);
  expect((await send(headers)).status).toBe(401);
  expect(lines.at(-1)).toBe('webhook refused: wrong_secret');
});

it('rejects a signed body of another form', async () => {
  const other = '{"type":"payment.completed"}';
  const headers = signedHeaders({ id: 'm', timestampS: now(), body: other }, [secret]);
  expect((await send(headers, other)).status).toBe(400);
  expect(lines.at(-1)).toContain('sequence');
});

const main = fileURLToPath(new URL('main.ts', import.meta.url));

it('starts from the command line, or prints its usage', async () => {
  const { status, stderr } = spawnSync(process.execPath, [main, '--secret', 'abc'], {
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(/whsec_ and [^]*base64[^]*npm run webhook-sink/),
  ]);

  const child = spawn(process.execPath, [main, '--secret', secret, '--port', '0']);
  const [first] = (await once(child.stdout, 'data')) as [Buffer];
  expect(first.toString()).toMatch(/^Waiting for webhooks at http:\/\/127\.0\.0\.1:\d+\//);
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
