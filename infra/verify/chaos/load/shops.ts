import { controlBank } from '#examples/bank/simulator/testing/control.ts';
import { openShop, operatorOf, sandboxRoute } from '#infra/verify/harness/operator.ts';
import type { ProxiedStack } from '#infra/verify/harness/proxied-stack.ts';
import type { SimulatedShop } from '#infra/verify/simulation/people/shops.ts';
import { shops as shopFold } from '#shared/application/directory/shops.ts';
import { shopStream } from '#shared/domain/shop/events.ts';
import { foldStored, type EventStore } from '#shared/platform/event-store/index.ts';
import type { Sink } from '../sink.ts';

const route = (options: object, more: object = {}) => ({ options, ...more });
const byBank = (options: object = {}) => ({ provider: 'bank', options });
const converted = { conversion: { settlement_currency: 'USD', fx_source: 'sandbox' } };

/** Shops by what their providers do; the routes of each type are tried in order. */
const scenarios = {
  obliging: {
    payment: [route({ autopilot_ms: 700 })],
    payout: [route({ accept_delay_ms: 50, autopilot_ms: 500 })],
  },
  'with receipts': {
    payment: [route({ review: 'approve', expires_in_s: 20 }, { requires_receipt: true })],
    payout: [route({ evidence: 'partial', autopilot_ms: 800, autopilot_result: 'partial' })],
  },
  cascading: {
    payment: [
      route({ accept: 'error' }),
      route({ accept: 'hang' }),
      route({ accept_delay_ms: 200, autopilot_ms: 500, duplicate_callbacks: 2 }),
    ],
    payout: [
      route({ accept: 'decline' }),
      route({ autopilot_ms: 400, duplicate_callbacks: 1, reorder_callbacks: true }),
    ],
  },
  strict: {
    settings: { overdraft_limits: { RUB: '0.00' } },
    payment: [route({ review: 'potential_fake', expires_in_s: 20 }, { requires_receipt: true })],
    payout: [route({ autopilot_ms: 300 })],
  },
  converting: {
    payment: [route({ fx_rate: '0.012500', expires_in_s: 2 }, converted)],
    payout: [route({ fx_rate: '0.013100', autopilot_ms: 300 }, converted)],
  },
  undecided: {
    payment: [],
    payout: [route({ accept: 'hang', autopilot_ms: 1_500 })],
  },
  'by the bank': {
    payment: [byBank({ payable_s: 15 })],
    payout: [byBank(), route({ autopilot_ms: 400 })],
  },
} satisfies Record<string, { settings?: object; payment: object[]; payout: object[] }>;

/**
 * Of ten orders to the bank each of these befalls one or fewer: no answer, no order, one that comes
 * late, a clear no.
 */
const bankBehaviour = {
  slow_ms: 30,
  book_ms: 500,
  lose_replies: 0.1,
  lose_requests: 0.05,
  late: 0.05,
  late_ms: 4_000,
  lose_reads: 0.05,
  reject: 0.1,
  duplicate_lines: 0.1,
};

const commission = { percent: '2.50', fixed: '0.10' };

/** A shop for each scenario, set up as an operator does it, before any fault. */
export async function openShops(
  stack: ProxiedStack,
  { sink, store }: { sink: Sink; store: EventStore },
): Promise<SimulatedShop[]> {
  const operator = operatorOf(stack);
  await controlBank(stack.urls.sandbox).behave(bankBehaviour);
  const opened: SimulatedShop[] = [];
  for (const [name, scenario] of Object.entries(scenarios)) {
    const routes = (['payment', 'payout'] as const).flatMap((type) =>
      scenario[type].map((each, index) =>
        sandboxRoute({ type, priority: index + 1, commission, ...each }),
      ),
    );
    const { shopId, apiKey, secret } = await openShop(operator, {
      name,
      settings: {
        rate_limit: { per_second: 10_000, burst: 10_000 },
        ...('settings' in scenario && scenario.settings),
      },
      routes,
      webhookUrl: sink.urlOf(opened.length),
    });
    sink.setSecret(opened.length, secret);
    const shop = foldStored(shopFold, await store.read(shopStream(shopId)));
    if (shop.phase !== 'created') throw new Error(`${shopId} is not in the log`);
    opened.push({ shop, apiKey });
  }
  return opened;
}
