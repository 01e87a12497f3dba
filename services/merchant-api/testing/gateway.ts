import { expect, inject } from 'vitest';
import { handleOperation } from '#shared/application/operations/handle-operation.ts';
import type { ProviderConnector } from '#shared/application/providers/connector.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { applyReport } from '#shared/domain/operation/reports/apply-report.ts';
import type { ProviderReport } from '#shared/domain/operation/reports/report.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { clientOf, fetchFrom, payment, payout } from './client.ts';
import { useInstances, type Change } from './instances.ts';
import { createProviderControl } from './provider-control.ts';
import { setUpShop, type ShopChange } from './shop.ts';

type TestLeg = { leg_id: string; amount: string; completed_at: string };
type TestReport = { status: ProviderReport['status']; legs: readonly TestLeg[] };

const origin = { actor: 'service:test', correlationId: 'test' };

/**
 * The merchant API in this process, on a real event store (the shared one by default), with the
 * real sandbox provider over HTTP.
 */
export function useGateway(eventStoreUrl: () => string = () => inject('eventStoreUrl')) {
  const { started, instance, ...shared } = useInstances(eventStoreUrl);
  /** The secret of each shop, from which the ids of its operations are derived. */
  const secrets = new Map<string, string>();

  const sandbox = () => started.providers.providers.get('sandbox') as Required<ProviderConnector>;

  return {
    ...shared,
    get store() {
      return started.store;
    },
    get providers() {
      return started.providers.providers;
    },
    get sandbox() {
      return sandbox();
    },
    get ledgers() {
      return started.ledgers;
    },
    payment,
    payout,
    fetch: (path: string, init: RequestInit) => fetchFrom(started.api, path, init),
    /** Another instance of the API, connected to the first one only through the log. */
    secondInstance: async (change: Change = {}) => instance(change),
    /** An instance with this change to the sandbox's connector. */
    withSandbox: async (connector: Partial<ProviderConnector>, change: Change = {}) =>
      instance({
        ...change,
        providers: new Map([
          ...started.providers.providers,
          ['sandbox', { ...sandbox(), ...connector }],
        ]),
      }),
    /** An instance with a short acceptance wait, for providers that hang. */
    impatient: () => instance({ acceptanceMs: 6_000 }),
    provider: createProviderControl(
      {
        store: () => started.store,
        sandboxUrl: () => started.sandbox.url,
        connectors: () => started.providers.providers,
        secretOf: (shopId) => secrets.get(shopId),
      },
      origin,
    ),
    /** Sets up a shop. @returns the client of its server */
    async shop(change: ShopChange = {}) {
      const { shopId, secret, ...key } = await setUpShop(started.store, change);
      secrets.set(shopId, secret);
      return clientOf(started.api, shopId, key);
    },
    /** Completes an operation by a provider's report. */
    complete: (operationId: string, legs: readonly TestLeg[]) =>
      takeReport(started.store, operationId, { status: 'completed', legs }),
    report: (operationId: string, report: TestReport) =>
      takeReport(started.store, operationId, report),
    eventTypes: async (operationId: string) => ({
      events: (await started.store.read(operationStream(operationId))).map(({ type }) => type),
    }),
  };
}

/** Takes a provider's report on an operation's first attempt. */
async function takeReport(
  store: EventStore,
  operationId: string,
  { status, legs }: TestReport,
): Promise<void> {
  const result = await handleOperation({ store, operationId, origin }, (state) => {
    const given = { attempt: 1, status, legs: legs.map((leg) => ({ ...leg, file: false })) };
    return { events: applyReport(state, given).events };
  });
  expect(result.outcome).toBe('done');
}
