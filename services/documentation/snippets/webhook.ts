// oxlint-disable no-console -- a program to copy, which prints what it learns
// --- receive
import { createServer, type IncomingMessage } from 'node:http';
import { readWebhook } from '#clients/typescript/index.ts';

const secret = process.env['WEBHOOK_SECRET'] ?? '';

async function receive(request: IncomingMessage): Promise<number> {
  // Verify the bytes exactly as they came, then read them.
  const body = Buffer.concat((await request.toArray()) as Buffer[]);
  const webhook = readWebhook(
    { header: (name) => request.headers[name]?.toString(), body },
    secret,
  );
  if (!webhook.valid) {
    console.log('refused:', webhook.code);
    return 401;
  }
  const { event } = webhook;
  if (event && 'operation' in event.data) {
    const { merchant_operation_id, actual_amount } = event.data.operation;
    // Store it under event.id: the same one may come again.
    console.log(event.type, merchant_operation_id, actual_amount);
  }
  return 204;
}

createServer((request, response) => {
  receive(request).then(
    (status) => response.writeHead(status).end(),
    () => response.writeHead(500).end(),
  );
}).listen(Number(process.env['PORT'] ?? 4000));
