import { beforeAll, expect, it } from 'vitest';
import { webhookStackForFile } from '../testing/webhook-stack.ts';
import { ping } from '#shared/application/webhooks/messages/ping.ts';
import { createMerchant } from '../testing/merchant.ts';
import { testLimitMs } from '#infra/verify/harness/tests/eventually.ts';
import { laneLimits } from './pace/lanes.ts';
import { until } from '../testing/until.ts';

const stack = webhookStackForFile();
beforeAll(async () => {
  // Responses that hang end after the test.
  await stack.start({ only: ['dispatch'], attemptDeadlineMs: testLimitMs });
});

it('an endpoint that starts to hang delays no other, however many messages wait for it (R14.10)', async () => {
  const [hanging, ...others] = await Promise.all(
    Array.from({ length: 21 }, () => createMerchant(stack)),
  );
  if (!hanging) throw new Error('no merchant');
  const send = async (shopId: string, count: number) => {
    for (let sent = 0; sent < count; sent += 1) await ping(stack.db, { shopId });
  };
  // Its lane is wide at this point.
  const trusted = 2 * laneLimits.firstWidth;
  await send(hanging.shopId, trusted);
  await hanging.receiver.until(trusted);

  const answer = Promise.withResolvers<void>();
  hanging.receiver.answer = (_received, response) =>
    void answer.promise.then(() => response.writeHead(204).end());
  const waiting = 3 * laneLimits.maxWidth;
  await send(hanging.shopId, waiting);
  await until('it hangs', () => hanging.receiver.received.length > trusted);

  await Promise.all(others.map(({ shopId }) => send(shopId, 5)));
  await Promise.all(others.map(({ receiver }) => receiver.until(5)));
  // None of its messages has a response, and most were not even sent.
  const underWay = hanging.receiver.received.length - trusted;
  expect(underWay).toBeGreaterThan(0);
  expect(underWay).toBeLessThanOrEqual(laneLimits.maxWidth);

  answer.resolve();
  const received = await hanging.receiver.until(trusted + waiting);
  expect(new Set(received.map(({ id }) => id)).size).toBe(trusted + waiting);
  expect(received).toHaveLength(trusted + waiting);
});

it('one hanging request after a failure delays nothing else of the shop', async () => {
  const { shopId, receiver } = await createMerchant(stack);
  const [failing, hanging] = [0, 1];
  const answer = Promise.withResolvers<void>();
  receiver.answer = (_received, response) => {
    const at = receiver.received.length - 1;
    if (at === hanging) void answer.promise.then(() => response.writeHead(204).end());
    else response.writeHead(at === failing ? 500 : 204).end();
  };
  await ping(stack.db, { shopId });
  await receiver.until(1);
  await until('it hangs', () => receiver.received.length > hanging);
  for (let sent = 0; sent < 5; sent += 1) await ping(stack.db, { shopId });
  const received = await receiver.until(hanging + 1 + 5);
  // The failed message was sent again; it may be the one that hangs.
  expect(new Set(received.map(({ id }) => id)).size).toBeGreaterThan(5);
  answer.resolve();
});
