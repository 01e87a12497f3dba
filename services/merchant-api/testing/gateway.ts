import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, vi } from 'vitest';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/temp-folder.ts';
import { loadConfig } from '#shared/platform/config/load.ts';
import { createDirectory, type Directory } from '#shared/application/directory/directory.ts';
import { announceSetupChange } from '#shared/application/directory/stream.ts';
import { shopStream, type ShopEvent } from '#shared/domain/shop/events.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { applyReport } from '#shared/domain/operation/reports/apply-report.ts';
import type { ProviderReport } from '#shared/domain/operation/reports/report.ts';
import { routeSchema } from '#shared/domain/routing.ts';
import { connectEventStore, type EventStore } from '#shared/platform/event-store/index.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { hashApiKey, newApiKey, newId, operationIdFor } from '#shared/platform/ids.ts';
import { createLedgers } from '#shared/application/ledger/ledgers.ts';
import type { Ledgers } from '#shared/application/ledger/types.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { handleOperation } from '#shared/application/operations/handle.ts';
import { takeReport } from '#shared/application/operations/take-report.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { attemptNamed } from '#shared/application/providers/testing/attempt.ts';
import { createProviders } from '#shared/application/providers/index.ts';
import { createReceiptLinks } from '#shared/application/receipts/links.ts';
import { createReceiptStore, receiptStoreVariables } from '#shared/application/receipts/store.ts';
import { startTestSandbox, type TestSandbox } from '#services/sandbox-provider/testing/start.ts';
import { createMerchantApi } from '../app.ts';
import type { Dependencies } from '../dependencies.ts';

// What an answer holds is what the tests are about: they say it themselves.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;
export type Answer = { status: number; headers: Headers; text: string; body: Json };
type TestLeg = { leg_id: string; amount: string; completed_at: string };
type Api = ReturnType<typeof createMerchantApi>;
/** What an instance has of its own. */
type Change = Partial<
  Pick<
    Dependencies,
    'store' | 'ledgers' | 'providers' | 'breakers' | 'dayUse' | 'receipts' | 'links' | 'acceptanceMs'
  >
>;

const origin = { actor: 'service:test', correlationId: 'test' };
const metadata = { correlation_id: 'test', actor: 'service:test', schema_version: 1 };

/** Long, so that a machine that stalls for seconds does not use it up. */
const acceptanceMs = 20_000;

/**
 * The merchant API in this process, on the real event store, with the real sandbox provider over
 * HTTP. On the store that all tests share, unless another is named.
 */
export function useGateway(eventStoreUrl: () => string = () => inject('eventStoreUrl')) {
  let store: EventStore;
  let sandbox: TestSandbox;
  let api: Api;
  let providers: ReturnType<typeof createProviders>;
  let ledgers: Ledgers;
  const directories: Directory[] = [];
  const shops = new Map<string, { secret: string }>();
  const folder = makeTempFolder();
  const receipts = createReceiptStore({ ...loadConfig([...receiptStoreVariables], {}), DATA_DIR: folder });
  const links = createReceiptLinks({ baseUrl: 'http://gateway.test', secret: 'a-secret-of-the-links' });
  const logger = createLogger('test', 'silent');

  const instance = (change: Change = {}): Api => {
    const directory = createDirectory(store);
    directories.push(directory);
    return createMerchantApi({
      store,
      directory,
      providers: providers.providers,
      logger,
      metrics: createMetrics('test'),
      acceptanceMs,
      ledgers,
      payBaseUrl: 'http://pay.test',
      receipts,
      personal: testPersonalData(change.store ?? store),
      links,
      notReady: async () => undefined,
      ...change,
    });
  };

  beforeAll(async () => {
    store = connectEventStore(eventStoreUrl());
    sandbox = await startTestSandbox();
    providers = createProviders(sandbox.config, logger);
    ledgers = createLedgers({ store });
    api = instance();
  });
  afterAll(async () => {
    await Promise.all(directories.map((directory) => directory.stop()));
    await ledgers.stop();
    await providers.close();
    await sandbox.stop();
    await store.close();
    removeFolder(folder);
  });

  const fetchFrom = async (on: Api, path: string, init: RequestInit): Promise<Answer> => {
    const headers = new Headers(init.headers);
    const form = init.body instanceof FormData;
    if (!form && !headers.has('content-type')) headers.set('content-type', 'application/json');
    const response = await on.request(path, { ...init, headers });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  };

  const payment = (change: object = {}) => ({
    merchant_operation_id: newId(),
    client_id: 'client-1',
    method: 'WT_RUB_C2C',
    amount: '100.00',
    currency: 'RUB',
    ...change,
  });

  const payout = (change: object = {}) => payment({ number: '2200 1234 5678 9010', ...change });

  const client = (on: Api, shopId: string, { apiKey, keyId }: { apiKey: string; keyId: string }) => {
    const fetch = (path: string, init: RequestInit) =>
      fetchFrom(on, path, {
        ...init,
        headers: { ...(init.headers as Record<string, string>), 'x-api-key': apiKey },
      });
    const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
      fetch(path, { method: 'POST', body: JSON.stringify(body), headers });
    const confirm = (body: FormData) =>
      fetchFrom(on, '/v1/confirm_payment', { method: 'POST', body, headers: { 'x-api-key': apiKey } });
    return {
      shopId,
      keyId,
      fetch,
      post,
      confirm,
      pay: (change: object) => post('/v1/payment', payment(change)),
      payOut: (change: object) => post('/v1/payout', payout(change)),
      cancel: (body: object) => post('/v1/cancel_operation', body),
      state: (reference: object) => post('/v1/get_operation_state', reference),
      on: (other: Api) => client(other, shopId, { apiKey, keyId }),
    };
  };

  /** Takes a provider's report on an operation's first attempt. */
  const report = async (
    operationId: string,
    { status, legs }: { status: ProviderReport['status']; legs: readonly TestLeg[] },
  ) => {
    const result = await handleOperation({ store, operationId, origin }, (state) => {
      const given = { attempt: 1, status, legs: legs.map((leg) => ({ ...leg, file: false })) };
      return { events: applyReport(state, given).events };
    });
    expect(result.outcome).toBe('done');
  };

  return {
    get store() {
      return store;
    },
    get providers() {
      return providers.providers;
    },
    receipts,
    receiptsFolder: join(folder, 'receipts'),
    links,
    get ledgers() {
      return ledgers;
    },
    payment,
    payout,
    fetch: (path: string, init: RequestInit) => fetchFrom(api, path, init),
    /** Another instance of the API, which knows of the first one only through the log. */
    secondInstance: async (change: Change = {}) => instance(change),
    /** An instance that waits for providers a short time only: for those that hang. */
    impatient: () => instance({ acceptanceMs: 1_600 }),
    provider: {
      seen: async (operationId: string): Promise<Json> =>
        (await fetch(`${sandbox.url}/control/operations/${operationId}`)).json(),
      /**
       * Makes the provider act, and brings what it then knows of the first attempt to the gateway.
       */
      act: async (
        operationId: string,
        command: 'settle' | 'leg' | 'review' | 'late-money' | 'correct',
        body: object,
      ) => {
        const url = `${sandbox.url}/control/operations/${operationId}/${command}`;
        const headers = { 'content-type': 'application/json' };
        const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
        expect(answer.status).toBe(200);
        const attempt = attemptNamed(operationId);
        const known = await providers.providers.get('sandbox')?.ask(attempt, { timeoutMs: 3_000 });
        if (known?.outcome !== 'known') throw new Error(`the provider is ${known?.outcome}`);
        const taken = await takeReport(
          { store, personal: testPersonalData(store) },
          { operationId, provider: 'sandbox', ...known },
          origin,
        );
        expect(taken.outcome).toBe('taken');
      },
      /** 404 where it never heard of the operation. */
      status: async (operationId: string) =>
        (await fetch(`${sandbox.url}/control/operations/${operationId}`)).status,
      /** Waits until the provider has been asked to take the shop's operation. */
      submitted: (shop: { shopId: string }, merchantOperationId: string) =>
        vi.waitFor(async () => {
          const { secret } = shops.get(shop.shopId) ?? {};
          const operation_id = operationIdFor(Buffer.from(secret ?? '', 'hex'), merchantOperationId);
          expect((await fetch(`${sandbox.url}/control/operations/${operation_id}`)).status).toBe(200);
          return { operation_id };
        }, 10_000),
    },

    /**
     * A shop with a key, routes and ten times the usual rate limit; each route is a payment by card
     * at 2.5 % unless it says otherwise.
     */
    async shop({
      routes = [{}],
      hostedPage = true,
      overdraftLimits = {},
    }: { routes?: object[]; hostedPage?: boolean; overdraftLimits?: { RUB?: string } } = {}) {
      const shopId = newId();
      const apiKey = newApiKey();
      const secret = newId().replaceAll('-', '').repeat(2);
      shops.set(shopId, { secret });
      const key = { key_id: newId(), key_hash: hashApiKey(apiKey) };
      const events: ShopEvent[] = [
        {
          type: 'ShopCreated',
          data: {
            shop_id: shopId,
            merchant_id: newId(),
            operation_id_secret: secret,
            settings: {
              name: 'Test',
              hosted_page: hostedPage,
              overdraft_limits: overdraftLimits,
              rate_limit: { per_second: 1_000, burst: 2_000 },
            },
          },
        },
        { type: 'ApiKeyIssued', data: { ...key, label: 'test', hint: apiKey.slice(-4) } },
        {
          type: 'RoutesReplaced',
          data: {
            routes: routes.map((change) =>
              routeSchema.parse({
                type: 'payment',
                method: 'WT_RUB_C2C',
                currency: 'RUB',
                provider: 'sandbox',
                commission: { percent: '2.50' },
                ...change,
              }),
            ),
          },
        },
      ];
      const appended = await store.append({
        stream: shopStream(shopId),
        expectedRevision: -1,
        events: events.map((event) => ({ ...event, id: newId(), metadata })),
      });
      expect(appended.outcome).toBe('appended');
      await announceSetupChange(store, { shop_id: shopId, shop_revision: 2, api_key: key }, metadata);
      return client(api, shopId, { apiKey, keyId: key.key_id });
    },

    /** Ends an operation as a provider's report does. */
    complete: (operationId: string, legs: readonly TestLeg[]) =>
      report(operationId, { status: 'completed', legs }),
    report,

    eventTypes: async (operationId: string) => ({
      events: (await store.read(operationStream(operationId))).map(({ type }) => type),
    }),
  };
}
