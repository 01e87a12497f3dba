import { createServer, type IncomingMessage } from 'node:http';
import { verifyWebhook } from '#shared/webhooks/verify.ts';
import { readDemo } from './demo-file.ts';

// A merchant's endpoint, as small as one can be: verify the raw bytes first, then believe them. It prints each
// webhook that it gets on a line of the console of `npm start`.

const maxBodyBytes = 1024 * 1024;
const dataDir = process.env['DATA_DIR'] ?? '.data';
const port = Number(process.env['DEMO_WEBHOOK_PORT']);

type Received = {
  type: string;
  sequence: number;
  data?: { operation?: Record<string, string> };
};

async function read(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** @returns the status to answer, and the line to print */
function receive(request: IncomingMessage, body: string): { status: number; line: string } {
  const { webhook_secret: secret } = readDemo(dataDir);
  if (secret === undefined) return { status: 503, line: 'webhook refused: the secret is not known yet' };
  const header = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  const verdict = verifyWebhook({ header, body }, secret);
  if (!verdict.valid) return { status: 401, line: `webhook refused: ${verdict.code}` };
  const { type, sequence, data } = JSON.parse(body) as Received;
  const {
    merchant_operation_id: key,
    operation_id: id,
    actual_amount,
    expected_amount,
  } = data?.operation ?? {};
  const details = data === undefined ? '' : ` ${key} ${id} amount ${actual_amount ?? expected_amount}`;
  return { status: 204, line: `webhook ${type}${details} (#${sequence ?? 0}, signature valid)` };
}

async function answer(request: IncomingMessage): Promise<number> {
  if (request.method !== 'POST') return /^\/(livez|readyz|healthz)$/.test(request.url ?? '') ? 204 : 404;
  const body = await read(request);
  if (body === undefined) return 413;
  const { status, line } = receive(request, body);
  process.stdout.write(`${line}\n`);
  return status;
}

const server = createServer((request, response) => {
  void answer(request)
    .catch((error: unknown) => {
      process.stdout.write(`webhook refused: ${String(error)}\n`);
      return 400;
    })
    .then((status) => response.writeHead(status).end());
});
server.listen(port, '127.0.0.1');
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    server.close();
    server.closeAllConnections();
  });
}
