import {
  openWebhookEndpoint,
  type WebhookReceiver,
} from '#infra/verify/harness/shops/webhook-endpoint.ts';
import type { SinkOrder, SinkTaken, SunkWebhook } from '#infra/lab/load/generator/messages.ts';
import { serveOrders } from '#infra/verify/harness/processes/helper-process.ts';

// The endpoint of every shop: verifies the bytes, records their content, answers 204.

const secrets = new Map<string, string>();
let endpoint: WebhookReceiver | undefined;
let webhooks: SunkWebhook[] = [];
let lateness: number[] = [];

const open = () =>
  openWebhookEndpoint({
    secretOf: (path) => secrets.get(path),
    take: ({ message: { type, sequence, timestamp, data } }, response) => {
      lateness.push(Date.now() - Date.parse(timestamp));
      const isEnd = !type.endsWith('.awaiting_confirmation');
      webhooks.push([data.operation?.operation_id ?? '', sequence, isEnd]);
      response.writeHead(204).end();
    },
  });

function take(): SinkTaken {
  const taken = { webhooks, faults: endpoint?.faults.splice(0) ?? [], lateness };
  [webhooks, lateness] = [[], []];
  return taken;
}

serveOrders(async (order: SinkOrder) => {
  if (order.order === 'take') return take();
  if (order.order === 'secret') {
    secrets.set(`/${order.shop}`, order.secret);
    return {};
  }
  endpoint = await open();
  return { url: endpoint.origin };
});
