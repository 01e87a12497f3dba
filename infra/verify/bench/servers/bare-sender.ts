import { Pool } from 'undici';
import { newId, newWebhookSecret } from '#shared/platform/ids.ts';
import { signedHeaders } from '#shared/application/webhooks/sign.ts';
import { closedLoop } from '#infra/verify/load/loops.ts';
import { createPlainApp, listenOnPort } from '#infra/verify/stack/serve.ts';

/**
 * Signs a message and posts it, again and again: no queue, no order, no record of what was sent.
 */
const secret = newWebhookSecret();
const app = createPlainApp();

app.post('/run', async (c) => {
  const { url, clients, durationMs } = await c.req.json<{
    url: string;
    clients: number;
    durationMs: number;
  }>();
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: clients, pipelining: 1 });
  const load = await closedLoop({ clients, durationMs }, async () => {
    const body = JSON.stringify({
      id: newId(),
      type: 'payment.declined',
      timestamp: new Date().toISOString(),
      sequence: 1,
      data: { shop_id: newId(), operation: { operation_id: newId(), text: 'x'.repeat(350) } },
    });
    const content = { id: newId(), timestampS: Math.floor(Date.now() / 1000), body };
    const headers = { 'content-type': 'application/json', ...signedHeaders(content, [secret]) };
    const answer = await pool.request({ method: 'POST', path: pathname, headers, body });
    await answer.body.dump();
  });
  await pool.close();
  return c.json(load);
});

listenOnPort(app);
