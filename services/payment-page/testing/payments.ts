import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import { noOperation, type OperationState } from '#shared/domain/operation/state.ts';
import type { ShopSettings } from '#shared/domain/shop/events.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { countAlone, createAddressLimits } from '../address-limits.ts';
import { createPaymentPage } from '../app.ts';
import type { PayDependencies } from '../dependencies.ts';
import { createWatch, type WatchOptions } from '../live/watch.ts';
import { toVisiblePayment, computePageVersion } from '../visible-payment.ts';

export const nowMs = Date.parse('2026-01-31T12:00:00.000Z');

type Options = Partial<
  Pick<PayDependencies, 'trustedProxies' | 'directory' | 'operations' | 'limits'>
> & {
  hostedPage?: boolean;
  /** What payers see of the shop. */
  forPayers?: Pick<ShopSettings, 'display_name' | 'support' | 'return_url'>;
  watch?: Partial<WatchOptions>;
};

/** The payment page over operations that are folded from events, without a store. */
export function createTestPage(
  histories: Readonly<Record<string, readonly OperationEvent[]>>,
  { hostedPage = true, forPayers = {}, watch: watchOptions = {}, ...change }: Options = {},
) {
  const states = new Map<string, OperationState>();
  const put = (id: string, events: readonly OperationEvent[]) =>
    states.set(operationStream(id), fold(events));
  for (const [id, events] of Object.entries(histories)) put(id, events);
  const operations = { read: async (stream: string) => states.get(stream) ?? noOperation };
  const shop = { settings: { hosted_page: hostedPage, ...forPayers } } as Shop;
  const watch = createWatch({
    logger,
    version: async (id) => {
      const state = await operations.read(operationStream(id));
      const shown = state.phase === 'admitted' ? toVisiblePayment(state, nowMs) : undefined;
      return shown && computePageVersion(shown);
    },
    ...watchOptions,
  });
  const unavailable = () => {
    throw new Error('this test has no stores');
  };
  const app = createPaymentPage({
    store: { append: unavailable, read: unavailable } as unknown as PayDependencies['store'],
    providers: new Map(),
    receipts: { put: unavailable } as unknown as PayDependencies['receipts'],
    personal: testPersonalData({ append: unavailable, read: unavailable }),
    directory: { byId: async () => shop },
    operations,
    watch,
    limits: createAddressLimits(countAlone({ nowMs: () => 0 })),
    logger,
    metrics: createMetrics('test'),
    baseUrl: 'https://pay.test',
    trustedProxies: 0,
    now: () => nowMs,
    notReady: () => undefined,
    ...change,
  });
  return {
    app,
    put,
    watch,
    send: (path: string, init: RequestInit = {}) => app.request(`https://pay.test${path}`, init),
  };
}
