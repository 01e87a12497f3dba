import { createLoadClient } from '#infra/lab/load/http-client.ts';
import { newId } from '#shared/platform/ids.ts';
import { newWebhookSecret } from '#shared/application/credentials.ts';
import { signedHeaders } from '#shared/application/webhooks/sign.ts';
import { closedLoop } from '#infra/lab/load/loops.ts';
import { serveOrders } from '#infra/verify/harness/processes/helper-process.ts';

export type SenderOrder = { order: 'run'; url: string; clients: number; durationMs: number };

/** Signs and posts a message repeatedly: without queue, order and records. */
const secret = newWebhookSecret();

serveOrders(async ({ url, clients, durationMs }: SenderOrder) => {
  const { origin, pathname } = new URL(url);
  const client = createLoadClient(origin, clients);
  const load = await closedLoop({ clients, durationMs }, async () => {
    const body = JSON.stringify({
      id: newId(),
      type: 'payment.declined',
      timestamp: new Date().toISOString(),
      sequence: 1,
      data: { shop_id: newId(), operation: { operation_id: newId(), text: 'x'.repeat(350) } },
    });
    const content = { id: newId(), timestampS: Math.floor(Date.now() / 1000), body };
    const headers = signedHeaders(content, [secret]);
    await client.send({ method: 'POST', path: pathname, headers, body });
  });
  await client.close();
  return load;
});
