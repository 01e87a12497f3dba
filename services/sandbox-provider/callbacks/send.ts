import { callProvider } from '#shared/application/providers/http-call.ts';
import { signCallback } from '#shared/application/providers/sandbox/signature.ts';
import { createHttpClient } from '#shared/platform/http-client/client.ts';

const timeoutMs = 5_000;
const maxAnswerBytes = 64 * 1024;

export type CallbackResult = { delivered: boolean; status?: number; error?: string };
/** `key`: of the attempt that it is about. */
export type SendCallback = (message: {
  id: string;
  key: string;
  body: string;
  nowMs: number;
}) => Promise<CallbackResult>;

type Sender = { send: SendCallback; close(): Promise<void> };
type Target = { url: string; secret: string };

/** Posts each callback to the account of its attempt. */
export function createSenders(targetOf: (key: string) => Target): Sender {
  const senders = new Map<string, Sender>();
  return {
    send: (message) => {
      const target = targetOf(message.key);
      const name = JSON.stringify(target);
      const sender = senders.get(name) ?? createSendCallback(target);
      senders.set(name, sender);
      return sender.send(message);
    },
    close: async () =>
      void (await Promise.all([...senders.values()].map((sender) => sender.close()))),
  };
}

/** Posts signed callbacks to one URL. Any 2xx within 10 s is a success; a redirect is not. */
function createSendCallback({ url, secret }: Target): Sender {
  const target = new URL(url);
  const client = createHttpClient(target.origin, { maxConnections: 32 });
  return {
    send: async ({ id, body, nowMs }) => {
      const bytes = Buffer.from(body, 'utf8');
      const outcome = await callProvider(
        client,
        {
          method: 'POST',
          path: `${target.pathname}${target.search}`,
          headers: {
            'content-type': 'application/json',
            ...signCallback(secret, { id, body: bytes, nowMs }),
          },
          body: bytes,
          maxAnswerBytes,
          // The callback has an id, and is repeated until it is accepted anyway.
          repeatable: true,
        },
        { timeoutMs },
      );
      if (!outcome.ok) return { delivered: false, error: outcome.fault };
      return { delivered: outcome.status >= 200 && outcome.status < 300, status: outcome.status };
    },
    close: () => client.close(),
  };
}
