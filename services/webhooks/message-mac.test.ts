import { expect, it } from 'vitest';
import { createLogKey } from '#shared/platform/event-store/signature.ts';
import { computeMessageMac, hasMessageMac, type MessageContent } from './message-mac.ts';

const key = createLogKey('webhooks', Buffer.alloc(32, 'a key').toString('base64'));
const other = createLogKey('webhooks', Buffer.alloc(32, 'another').toString('base64'));
const message: MessageContent = {
  messageId: 'm-1',
  webhookId: 'e-1',
  shopId: 's-1',
  endpointId: 'p-1',
  operationId: 'o-1',
  sequence: 2,
  type: 'payment.completed',
  body: '{"id":"e-1"}',
};
const mac = computeMessageMac(key, message);

it('covers the content of a message and where it goes (R14.22)', () => {
  expect(hasMessageMac(key, message, mac)).toBe(true);
  expect(hasMessageMac(other, message, mac)).toBe(false);
  for (const wrong of ['', 'AAAA', mac.toLowerCase()])
    expect(hasMessageMac(key, message, wrong)).toBe(false);
  const changes = Object.keys(message).map((name) => ({
    ...message,
    [name]: name === 'sequence' ? 3 : 'x',
  }));
  for (const changed of [...changes, { ...message, operationId: null }])
    expect(hasMessageMac(key, changed, mac)).toBe(false);
});

it('has one code for a message that names its event’s id by its own or not at all', () => {
  const { webhookId: _, ...own } = message;
  const named = { ...own, webhookId: own.messageId };
  expect(computeMessageMac(key, named)).toBe(computeMessageMac(key, own));
});
