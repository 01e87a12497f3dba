import { expect, it } from 'vitest';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import type { CreateBody } from '#shared/application/create-body/body.ts';
import { countCardNumbers } from './card-numbers.ts';

it('counts identifiers that look like cards by shop and field, without their values', async () => {
  const metrics = createMetrics('test');
  const count = countCardNumbers(metrics);
  const send = (client_id: string, merchant_operation_id: string) =>
    count('shop-1', { client_id, merchant_operation_id } as CreateBody);
  send('4111111111111111', 'order-1');
  send('card 4111-1111-1111-1111', 'order-2');
  send('client-1', 'order-5555555555554444');
  send('018f2f2e-5f67-8a1b-9c3d-0123456789ab', '20261122230252');
  const text = await metrics.metrics();
  const counted = [...text.matchAll(/^gateway_identifiers_like_cards_total\{(.*)\} (\d+)$/gm)];
  expect(counted.map(([, labels, times]) => [labels, times])).toEqual([
    ['shop_id="shop-1",field="client_id",service="test"', '2'],
    ['shop_id="shop-1",field="merchant_operation_id",service="test"', '1'],
  ]);
  expect(
    text
      .split('\n')
      .filter((line) => line.includes('cards_total'))
      .join(),
  ).not.toMatch(/4111|4444/);
});
