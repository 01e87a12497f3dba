import { createServer, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { verifyWebhook } from '#clients/webhook-verifier/verify.ts';

// A minimal endpoint of a merchant: it verifies the raw bytes before it trusts them.

const maxBodyBytes = 1024 * 1024;

export type SinkOptions = {
  port: number;
  host: string;
  /** The shop's secret, called for every webhook; undefined if it is not known yet. */
  secret(): string | undefined;
  /** The response to valid webhooks, 204 by default; others show how the gateway reacts to them. */
  status?: number;
  /** The delay before each response. */
  delayMs?: number;
  /** A line for each webhook that came. */
  print(line: string): void;
};

const operationSchema = z.object({
  merchant_operation_id: z.string(),
  operation_id: z.string(),
  actual_amount: z.string().optional(),
  expected_amount: z.string().optional(),
});
const receivedSchema = z.object({
  type: z.string(),
  sequence: z.number(),
  data: z.object({ operation: operationSchema.optional() }).optional(),
});

/** Listens until it is closed. */
export async function startSink(options: SinkOptions): Promise<{ port: number; close(): void }> {
  const server = createServer((request, response) => {
    void answer(request, options)
      .catch((error: unknown) => {
        options.print(`webhook refused: ${String(error)}`);
        return 400;
      })
      .then((status) => response.writeHead(status).end());
  });
  const listening = Promise.withResolvers<void>();
  server.once('error', (error) => listening.reject(error));
  server.listen(options.port, options.host, () => listening.resolve());
  await listening.promise;
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : options.port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(request: IncomingMessage, options: SinkOptions): Promise<number> {
  if (request.method !== 'POST')
    return /^\/(livez|readyz|healthz)$/.test(request.url ?? '') ? 204 : 404;
  const body = await read(request);
  if (body === undefined) return 413;
  const { status, line } = receive(request, body, options);
  options.print(line);
  if (options.delayMs !== undefined) await delay(options.delayMs);
  return status;
}

/** The status to answer, and the line to print. */
function receive(
  request: IncomingMessage,
  body: Buffer,
  { secret, status = 204 }: SinkOptions,
): { status: number; line: string } {
  const shopSecret = secret();
  if (shopSecret === undefined)
    return { status: 503, line: 'webhook refused: the secret is not known yet' };
  const header = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  const verdict = verifyWebhook({ header, body }, shopSecret);
  if (!verdict.valid) return { status: 401, line: `webhook refused: ${verdict.code}` };
  return { status, line: inWords(receivedSchema.parse(JSON.parse(body.toString('utf8')))) };
}

function inWords({ type, sequence, data }: z.infer<typeof receivedSchema>): string {
  const operation = data?.operation;
  if (!operation) return `webhook ${type} (signature valid)`;
  const {
    merchant_operation_id: key,
    operation_id: id,
    actual_amount,
    expected_amount,
  } = operation;
  const amount = actual_amount ?? expected_amount;
  return `webhook ${type} ${key} ${id} amount ${amount ?? 'unknown'} (#${sequence}, signature valid)`;
}

async function read(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
