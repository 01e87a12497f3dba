import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '#clients/webhook-verifier/verify.ts';
import { serveOrders } from '../helper-process.ts';
import { addTo, clear, createHistogram, toSparse } from '#infra/verify/load/histogram.ts';
import type { SinkOrder, SinkTaken, SunkWebhook } from '#infra/verify/load/generator/messages.ts';

// The endpoint of every shop, as a merchant has it: verifies the bytes, keeps what they say, answers 204.

const secrets = new Map<string, string>();
const lateness = createHistogram();
let webhooks: SunkWebhook[] = [];
let faults: string[] = [];

const server = createServer((request, response) => {
  receive(request).then(
    (status) => response.writeHead(status).end(),
    () => response.destroy(),
  );
});

async function receive(request: IncomingMessage): Promise<number> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const secret = secrets.get(request.url ?? '');
  if (secret === undefined) return 503;
  const verdict = verifyWebhook({ header: (name) => request.headers[name]?.toString(), body }, secret);
  if (!verdict.valid) {
    faults.push(`${request.url}: ${verdict.code}`);
    return 401;
  }
  const { type, sequence, timestamp, data } = JSON.parse(body.toString('utf8')) as {
    type: string;
    sequence: number;
    timestamp: string;
    data: { operation: { operation_id: string } };
  };
  addTo(lateness, Date.now() - Date.parse(timestamp));
  webhooks.push([data.operation.operation_id, sequence, !type.endsWith('.awaiting_confirmation')]);
  return 204;
}

function take(): SinkTaken {
  const taken = { webhooks, faults, lateness: toSparse(lateness) };
  [webhooks, faults] = [[], []];
  clear(lateness);
  return taken;
}

serveOrders(async (order: SinkOrder) => {
  if (order.order === 'take') return take();
  if (order.order === 'secret') {
    secrets.set(`/${order.shop}`, order.secret);
    return {};
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
});
