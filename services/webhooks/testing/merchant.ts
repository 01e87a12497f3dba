import type { ShopEvent } from '#shared/domain/shop/events.ts';
import { newWebhookSecret } from '#shared/application/credentials.ts';
import { newId } from '#shared/platform/ids.ts';
import type { MessageView } from '#shared/application/webhooks/messages/list.ts';
import { changeShop, createShop } from './history.ts';
import { startReceiver, type Receiver } from './receiver.ts';
import type { TestStack } from './webhook-stack.ts';
import { until } from './until.ts';

type Merchant = {
  shopId: string;
  receiver: Receiver;
  /** The shop's messages in the order in which they were recorded. */
  messages(): Promise<MessageView[]>;
  /** Waits until there are exactly these statuses, in that order. */
  untilStatus(...statuses: MessageView['status'][]): Promise<MessageView[]>;
};

/** A shop with its own receiver as endpoint. */
export async function createMerchant(stack: TestStack): Promise<Merchant> {
  const receiver = await startReceiver(newWebhookSecret());
  const { shopId, secret } = await createShop(stack.store, { url: receiver.url });
  receiver.secret = secret;
  const messages = async () => (await stack.messages(shopId)).toReversed();
  return {
    shopId,
    receiver,
    messages,
    untilStatus: async (...statuses) => {
      let seen: MessageView[] = [];
      const matches = async () => {
        seen = await messages();
        return seen.map(({ status }) => status).join() === statuses.join();
      };
      await until(`messages are ${statuses.join()}`, matches);
      return seen;
    },
  };
}

/** A shop with its first endpoint and another one. */
export async function createMerchantWithTwo(
  stack: TestStack,
  { types }: { types?: string[] } = {},
) {
  const first = await createMerchant(stack);
  const secret = newWebhookSecret();
  const receiver = await startReceiver(secret);
  const endpointId = newId();
  const configured: ShopEvent = {
    type: 'WebhookConfigured',
    data: { endpoint_id: endpointId, url: receiver.url, enabled: true, ...(types && { types }) },
  };
  await changeShop(stack.store, first.shopId, [
    configured,
    { type: 'WebhookSecretIssued', data: { endpoint_id: endpointId, secret } },
  ]);
  const of = async (id: string) =>
    (await first.messages()).filter((message) => message.endpoint_id === id);
  return { ...first, second: { endpointId, receiver }, of };
}
