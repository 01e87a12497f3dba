import { Counter } from 'prom-client';
import { holdsCardNumber } from '#shared/domain/card-numbers.ts';
import { clearTexts } from '#shared/domain/operation/fields/request.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import type { CreateBody } from '#shared/application/create-body/body.ts';

/**
 * Counts identifiers that look like card numbers. They are accepted: any text may be an identifier
 * (R3.2), and one order number of sixteen digits in ten passes a card's check. An operator should
 * contact a shop that sends many.
 */
export function countCardNumbers(metrics: Metrics): (shopId: string, body: CreateBody) => void {
  const counter = new Counter({
    name: 'gateway_identifiers_like_cards_total',
    help: 'Identifiers in create requests that look like a card number, by shop and field',
    labelNames: ['shop_id', 'field'],
    registers: [metrics],
  });
  return (shopId, body) => {
    for (const field of clearTexts)
      if (holdsCardNumber(body[field] ?? '')) counter.inc({ shop_id: shopId, field });
  };
}
