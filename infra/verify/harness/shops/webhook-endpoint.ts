import type { IncomingMessage, ServerResponse } from 'node:http';
import { verifyWebhook } from '#clients/webhook-verifier/verify.ts';
import { openServer } from '../processes/loopback.ts';

/** One that is signed as it must be. */
export type VerifiedWebhook = {
  /** The path of the request: each shop may have its own. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly id: string;
  readonly body: string;
  readonly message: WebhookMessage;
};

type WebhookMessage = {
  readonly type: string;
  readonly sequence: number;
  readonly timestamp: string;
  /** A ping has no operation. */
  readonly data: { readonly operation?: Operation };
};

type Operation = Readonly<Record<string, unknown>> & { readonly operation_id: string };

export type WebhookReceiver = {
  readonly origin: string;
  /** Requests without a valid signature, answered by 401. */
  readonly faults: string[];
  readonly close: () => Promise<void>;
};

type EndpointRules = {
  /**
   * The secret of the shop with that path. Undefined: it has none yet, and the sender has to retry.
   */
  secretOf(path: string): string | undefined;
  /** Handles requests with a valid signature. */
  take(webhook: VerifiedWebhook, response: ServerResponse): void;
};

/** An endpoint on loopback that verifies every request, as a merchant's must. */
export async function openWebhookEndpoint({
  secretOf,
  take,
}: EndpointRules): Promise<WebhookReceiver> {
  const faults: string[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const body = Buffer.concat((await request.toArray()) as Buffer[]);
    const path = request.url ?? '';
    const secret = secretOf(path);
    if (secret === undefined) return void response.writeHead(503).end();
    const verdict = verifyWebhook(
      { header: (name) => request.headers[name]?.toString(), body },
      secret,
    );
    if (verdict.valid) {
      const text = body.toString('utf8');
      const message = JSON.parse(text) as WebhookMessage;
      const { headers } = request;
      return take({ path, headers, id: verdict.id, body: text, message }, response);
    }
    faults.push(`${path}: ${verdict.code}`);
    response.writeHead(401).end();
  };
  const { url, close } = await openServer((request, response) => {
    // A sender may die while it sends.
    receive(request, response).catch(() => response.destroy());
  });
  return { origin: url, faults, close };
}
