import { beforeAll, describe, expect, it } from 'vitest';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { webhookStackForFile } from './testing/webhook-stack.ts';
import { createDirectory } from '#shared/application/directory/directory.ts';
import { endpointIn } from '#shared/domain/shop/decide.ts';
import { changeShop, completeOperation } from './testing/history.ts';
import { createMerchantWithTwo } from './testing/merchant.ts';
import { status } from './testing/receiver.ts';
import { until } from './testing/until.ts';

const stack = webhookStackForFile();
const directory = forFile(() => createDirectory(stack.store));
beforeAll(async () => {
  await stack.start({
    scheduleMs: Array.from({ length: 1_000 }, () => 50),
    failingAfterMs: 100,
    reconcile: { everyMs: 200, minAgeMs: 0, patienceMs: 0 },
  });
});

const completed = (shopId: string) => completeOperation(stack.store, shopId);
const notices = ({ receiver }: Awaited<ReturnType<typeof createMerchantWithTwo>>['second']) =>
  receiver.received.flatMap(({ message }) =>
    message.type === 'endpoint.disabled' ? [message as unknown] : [],
  );

describe('another endpoint of the shop is sent endpoint.disabled (R14.19)', () => {
  it('when one returns 410 (R14.19)', async () => {
    const { shopId, receiver, second } = await createMerchantWithTwo(stack);
    receiver.answer = status(410);
    await completed(shopId);
    await until('the notice arrives', async () => notices(second).length > 0);
    expect(notices(second)).toMatchObject([
      {
        type: 'endpoint.disabled',
        sequence: 1,
        data: {
          shop_id: shopId,
          endpoint: { endpoint_id: shopId, url: receiver.url, description: null },
          reason: 'the endpoint answered 410 Gone',
          failing_since: null,
        },
      },
    ]);
    expect(second.receiver.forged).toEqual([]);
  });

  it('once, when all attempts to one have failed for long, which its state shows until one succeeds (R14.19)', async () => {
    const { shopId, receiver, second } = await createMerchantWithTwo(stack);
    const failingSince = async () =>
      endpointIn((await directory.byId(shopId)) ?? { phase: 'none', revision: -1 })?.failingSince;
    receiver.answer = status(500);
    await completed(shopId);
    await until('the notice arrives', async () => notices(second).length > 0);
    const since = await failingSince();
    expect(since).toEqual(expect.any(String));
    expect(notices(second)).toMatchObject([
      { data: { endpoint: { endpoint_id: shopId }, reason: 'failing', failing_since: since } },
    ]);
    receiver.answer = status(204);
    await until('it works again', async () => (await failingSince()) === undefined);
    expect(notices(second)).toHaveLength(1);
  });

  it('if it subscribes to that type, and not to the disabled one (R14.19)', async () => {
    const types = ['payment.completed'];
    const { shopId, second, of } = await createMerchantWithTwo(stack, { types });
    await changeShop(stack.store, shopId, [
      { type: 'WebhookDisabled', data: { endpoint_id: second.endpointId, reason: 'merchant' } },
    ]);
    await until('the notice is recorded', async () => (await of(shopId)).length === 1);
    await changeShop(stack.store, shopId, [
      { type: 'WebhookDisabled', data: { reason: 'operator' } },
    ]);
    await completed(shopId);
    await until('the end is recorded', async () => (await of(shopId)).length === 2);
    expect((await of(shopId)).map(({ type }) => type)).toEqual([
      'endpoint.disabled',
      'payment.completed',
    ]);
    expect((await of(second.endpointId)).map(({ type }) => type)).toEqual(['payment.completed']);
  });
});
