import { expect, it, onTestFinished } from 'vitest';
import { openServer } from '#infra/verify/harness/processes/loopback.ts';
import { pdf } from './support/files.ts';
import type { Json } from './support/answer.ts';
import { admin, control, target } from './support/http.ts';
import { payoutRoute, route } from './support/routes.ts';
import { openTestShop, type TestShop } from './support/shop.ts';
import { until } from './support/until.ts';

const terminal = ['completed', 'partially_completed', 'declined', 'expired', 'cancelled'];
const clients = 6;
const operationsEach = 6;

/** The progress of a status; terminal statuses rank last. */
const rank = (status: string) =>
  terminal.includes(status)
    ? 3
    : ['pending', 'awaiting_confirmation', 'manual_check'].indexOf(status);
const minor = (amount: string) => BigInt(amount.replace('.', ''));

/**
 * An endpoint that reads the state from both instances before it responds, and records states that
 * are older than the message.
 */
async function createCheckingEndpoint(shop: TestShop) {
  const received = { count: 0, stale: [] as string[], settled: 0n };
  const read = async (at: 0 | 1, path: string, json?: object): Promise<Json> => {
    const response = await fetch(`${target.gateways[at]}${path}`, {
      method: json ? 'POST' : 'GET',
      headers: { 'x-api-key': shop.apiKey, 'content-type': 'application/json' },
      ...(json && { body: JSON.stringify(json) }),
    });
    return response.json();
  };
  const receive = async (body: string) => {
    const { operation }: Json = JSON.parse(body).data;
    const isNewEnough = (state: Json) =>
      rank(state.status) === 3
        ? rank(operation.status) < 3 || state.status === operation.status
        : rank(state.status) >= rank(operation.status);
    if (operation.settlement_amount !== undefined && terminal.includes(operation.status)) {
      const amount = minor(operation.settlement_amount);
      received.settled += operation.type === 'payment' ? amount : -amount;
    }
    for (const at of [0, 1] as const) {
      const state = await read(at, '/v1/get_operation_state', {
        operation_id: operation.operation_id,
      });
      if (!isNewEnough(state))
        received.stale.push(
          `${operation.status} was received, instance ${at} returns ${JSON.stringify(state)}`,
        );
    }
    received.count += 1;
  };
  const { url, close } = await openServer((request, response) => {
    const take = async () => {
      await receive(Buffer.concat((await request.toArray()) as Buffer[]).toString('utf8'));
      response.writeHead(204).end();
    };
    take().catch((error: unknown) => {
      received.stale.push(String(error));
      response.writeHead(500).end();
    });
  });
  onTestFinished(close);
  expect((await admin('PUT', `/shops/${shop.shopId}/webhook`, { url: `${url}/` })).status).toBe(
    200,
  );
  return { received, read };
}

it('R10.2: a webhook is never ahead of the status on any instance', async () => {
  const shop = await openTestShop({ routes: [route({ requires_receipt: true }), payoutRoute()] });
  const { received, read } = await createCheckingEndpoint(shop);
  let expectedWebhooks = 0;
  const client = async (number: number) => {
    for (let count = 0; count < operationsEach; count += 1) {
      const at = count % 2 === 0 ? 0 : 1;
      if ((number + count) % 3 === 0) {
        await shop.settled(shop.payout({}, { at }), count % 2 === 0 ? 'completed' : 'declined');
        expectedWebhooks += 1;
      } else {
        const { operation_id: id } = await shop.made(shop.pay({}, { at }));
        expectedWebhooks += 2;
        if (count % 2 === 0) {
          await shop.confirm(id, pdf(), at);
          await control(id, 'review', { result: 'approve' });
        } else await control(id, 'settle', { result: 'completed' });
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  await until('every webhook', () => received.count, {
    holds: (count) => count >= expectedWebhooks,
  });
  expect(received.stale).toEqual([]);
  expect(received.count).toBe(expectedWebhooks);
  // The balance of each instance has the amounts of all webhooks.
  for (const at of [0, 1] as const) {
    const { balances } = await read(at, '/v1/balances');
    expect(minor(balances.find(({ currency }: Json) => currency === 'RUB').balance)).toBe(
      received.settled,
    );
  }
});
