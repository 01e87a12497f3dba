import type { ProxiedStack } from '#infra/verify/harness/stacks/proxied-stack.ts';
import type { StoryRun } from './acted.ts';
import type { LoadSender } from './sender.ts';
import type { RequestKind, StoryResponse } from './history.ts';
import type { ChaosShop } from './shops.ts';

/**
 * The merchant's requests about the operation of its story. It learns the operation's id from the
 * answers.
 */
export function createStoryMerchant(
  { urls, sender }: { urls: ProxiedStack['urls']; sender: LoadSender },
  shop: ChaosShop,
  acted: StoryRun,
) {
  const { story, responses } = acted;
  const { key, slot, amount, link } = story;
  const merchant = (what: RequestKind, path: string, body: object) => ({
    what,
    url: `${urls.gateway}/v1/${path}`,
    headers: { 'x-api-key': shop.apiKey },
    body,
  });
  const body = {
    merchant_operation_id: key,
    client_id: `client-${story.shop}`,
    method: slot.method,
    currency: 'RUB',
    amount,
    ...(slot.type === 'payout' &&
      (slot.method === 'WT_RUB_C2C'
        ? { number: '2200123456789010' }
        : { number: '+79001234567', bankname: 'sberbank' })),
  };
  const path = slot.type === 'payout' ? 'payout' : link ? 'payment/link' : 'payment';
  const rememberId = (answer: StoryResponse | undefined) => {
    acted.operationId ??= answer?.body?.operation_id ?? answer?.body?.operation?.operation_id;
    return answer;
  };
  return {
    create: async () => rememberId(await sender.forSure(merchant('create', path, body), responses)),
    /** The same key with another body. */
    clash: () => sender.forSure(merchant('clash', path, { ...body, amount: '7.77' }), responses),
    cancel: async () => {
      const { operationId } = acted;
      const named = story.byKey || operationId === undefined;
      const reference = named ? { merchant_operation_id: key } : { operation_id: operationId };
      const once = () =>
        sender.forSure(merchant('cancel', 'cancel_operation', reference), responses);
      await Promise.all(Array.from({ length: story.cancels }, once));
    },
    read: async (reference: object = { merchant_operation_id: key }) =>
      rememberId(await sender.once(merchant('read', 'get_operation_state', reference), responses)),
    confirm: async () => {
      const form = new FormData();
      form.append('operation_id', acted.operationId ?? '');
      form.append('confirmation_type', 'receipt');
      const content = story.receipt.pdf ? `%PDF-1.4\n${key}\n%%EOF` : `a picture of ${key}`;
      form.append('receipt', new Blob([content]), 'receipt.pdf');
      await sender.forSure(merchant('confirm', 'confirm_payment', form), responses);
    },
  };
}
