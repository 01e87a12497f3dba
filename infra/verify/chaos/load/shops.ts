import { controlBank } from '#examples/bank/simulator/testing/control.ts';
import { openShop, createTestOperator } from '#infra/verify/harness/shops/operator.ts';
import type { ProxiedStack } from '#infra/verify/harness/stacks/proxied-stack.ts';
import type { Sink } from '../sink.ts';
import { bankBehaviour, scenarioRoutes, chaosScenarios } from './scenarios.ts';

export type ChaosShop = { readonly shopId: string; readonly apiKey: string };

/** Creates a shop for each scenario through the admin API, before any fault. */
export async function openShops(stack: ProxiedStack, sink: Sink): Promise<ChaosShop[]> {
  const operator = createTestOperator(stack);
  await controlBank(stack.urls.sandbox).behave(bankBehaviour);
  const shops: ChaosShop[] = [];
  for (const [index, scenario] of chaosScenarios.entries()) {
    const shop = await openShop(operator, {
      name: scenario.name,
      settings: { rate_limit: { per_second: 10_000, burst: 10_000 }, ...scenario.settings },
      routes: scenarioRoutes(scenario),
      webhookUrl: sink.urlOf(index),
    });
    sink.setSecret(index, shop.secret);
    shops.push(shop);
  }
  return shops;
}
