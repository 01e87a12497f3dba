import type { IncomingMessage, ServerResponse } from 'node:http';
import { verifyWebhook } from '#clients/webhook-verifier/verify.ts';
import { openServer } from '#infra/verify/harness/processes/loopback.ts';
import type { Json } from './answer.ts';

export type Delivery = {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly body: string;
  readonly message: Json;
  readonly operation: Json;
  readonly headers: IncomingMessage['headers'];
  readonly at: number;
};

export type Receiver = Awaited<ReturnType<typeof openReceiver>>;

type Reply = { readonly status: number; readonly headers?: Readonly<Record<string, string>> };

/** A type names the status, or that money went back after the end. */
function typeFaults({ type, data: { operation, returned } }: Json): string[] {
  const back = operation.type === 'payment' ? 'payment.charged_back' : 'payout.returned';
  if (type !== back)
    return type === `${operation.type}.${operation.status}` ? [] : ['type is not the status'];
  const names = Object.keys(returned ?? {})
    .toSorted()
    .join();
  return names === 'amount,at,currency,total' ? [] : ['returned has its fields'];
}

/**
 * A merchant's endpoint. It checks what every delivery must be: signed, with its id in the header,
 * the sequence without a gap, the same bytes on every attempt; `check` returns the faults of the
 * operation inside.
 */
export async function openReceiver(check: (operation: Json) => string[]) {
  const deliveries: Delivery[] = [];
  /** Each way in which a delivery broke R14.2 to R14.5. */
  const faults: string[] = [];
  let secret = '';
  let reply: Reply = { status: 204 };

  const inspect = (delivery: Delivery) => {
    const { message, body, id, headers, operation } = delivery;
    const fault = (what: string) => faults.push(`${what}: ${body}`);
    const verdict = verifyWebhook({ header: (name) => headers[name]?.toString(), body }, secret);
    if (!verdict.valid) fault(verdict.code);
    if (headers['webhook-id'] !== id) fault('webhook-id is not the id');
    if (!/json/.test(headers['content-type'] ?? '')) fault('content-type');
    if (Number.isNaN(Date.parse(message.timestamp))) fault('timestamp');
    if (message.type === 'ping' || message.type === 'endpoint.disabled') return;
    const before = deliveries.filter(
      (other) => other.operation?.operation_id === operation.operation_id,
    );
    const same = before.find((other) => other.id === id);
    if (same !== undefined && same.body !== body) fault('a repeat with other bytes');
    if (same === undefined) {
      const last = Math.max(0, ...before.map(({ sequence }) => sequence));
      if (message.sequence !== last + 1) fault(`sequence after ${last}`);
    }
    for (const what of typeFaults(message)) fault(what);
    for (const what of check(operation)) fault(what);
  };
  const receive = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const chunks = (await incoming.toArray()) as Buffer[];
    const body = Buffer.concat(chunks).toString('utf8');
    const message: Json = JSON.parse(body);
    const delivery: Delivery = {
      id: message.id,
      type: message.type,
      sequence: message.sequence,
      body,
      message,
      operation: message.data?.operation,
      headers: incoming.headers,
      at: performance.now(),
    };
    inspect(delivery);
    deliveries.push(delivery);
    outgoing.writeHead(reply.status, reply.headers).end();
  };
  const { url, close } = await openServer((incoming, outgoing) => {
    receive(incoming, outgoing).catch((error: unknown) => {
      faults.push(String(error));
      outgoing.destroy();
    });
  });
  return {
    url: `${url}/webhook`,
    deliveries,
    faults,
    /** The secret that deliveries are verified with, from now on. */
    trust: (next: string) => (secret = next),
    /** How the next deliveries are answered, from now on. */
    answerWith: (next: Reply) => (reply = next),
    close,
  };
}
