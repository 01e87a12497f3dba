import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { signedHeaders } from '#shared/application/webhooks/sign.ts';
import { readWebhook, type WebhookEvent } from './webhooks.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const timestampS = 1_769_860_800;

function received(body: string) {
  const headers = signedHeaders({ id: 'message-1', timestampS, body }, [secret]);
  const read = (bytes: string | Uint8Array) =>
    readWebhook({ header: (name) => headers[name], body: bytes }, secret, {
      nowMs: timestampS * 1000,
    });
  return read;
}

const document = JSON.parse(
  readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'),
) as {
  webhooks: { operation: { post: { requestBody: { content: Record<string, Content> } } } };
};
type Content = { examples: { completed: { value: WebhookEvent } }; schema: object };
const example =
  document.webhooks.operation.post.requestBody.content['application/json']?.examples.completed
    .value;

it('returns an event whose type determines the type of its operation', () => {
  const text = JSON.stringify(example);
  for (const body of [text, Buffer.from(text)]) {
    const webhook = received(text)(body);
    expect(webhook).toEqual({ valid: true, event: example });
    if (!webhook.valid || webhook.event?.type !== 'payment.completed')
      throw new Error('another event');
    // The compiler infers this type from the type of the event.
    const status: 'completed' = webhook.event.data.operation.status;
    expect(status).toBe('completed');
  }
});

it('accepts a ping, which has no operation', () => {
  const ping = { id: 'm', type: 'ping', timestamp: '…', sequence: 1, data: { shop_id: 's' } };
  expect(received(JSON.stringify(ping))(JSON.stringify(ping))).toEqual({
    valid: true,
    event: ping,
  });
});

it('accepts an event of another endpoint that is disabled', () => {
  const data = { shop_id: 's', endpoint: { url: 'https://a.example/' }, reason: 'failing' };
  const body = JSON.stringify({ id: 'm', type: 'endpoint.disabled', sequence: 1, data });
  const webhook = received(body)(body);
  if (!webhook.valid || webhook.event?.type !== 'endpoint.disabled')
    throw new Error('another event');
  expect(webhook.event.data.reason).toBe('failing');
});

it('accepts an unknown type, without an event', () => {
  const body = JSON.stringify({ type: 'refund.completed' });
  expect(received(body)(body)).toEqual({
    valid: true,
    event: undefined,
    unknownType: 'refund.completed',
  });
  const inherited = JSON.stringify({ type: 'constructor' });
  expect(received(inherited)(inherited)).toMatchObject({ event: undefined });
});

it('rejects a changed body', () => {
  const body = JSON.stringify(example);
  expect(received(body)(`${body} `)).toEqual({ valid: false, code: 'content_changed' });
});

it.each(['', 'null', '[]', '"text"', '{"type":1}'])(
  'rejects a signed body that is not an event: %j',
  (body) => {
    expect(received(body)(body)).toEqual({ valid: false, code: 'body_invalid' });
  },
);
