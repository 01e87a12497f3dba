import type { Hono } from 'hono';
import {
  createApp,
  registerMetrics,
  type AppEnv,
  type AppOptions,
} from '#shared/platform/http/app.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { ReportSealers } from '#shared/application/personal-data/personal-data.ts';
import type { AccountConnectors } from '#shared/application/providers/accounts/connectors.ts';
import type { Providers } from '#shared/application/providers/connector.ts';
import { createReportMetrics } from './metrics.ts';
import { callbackRoutes } from './reports/callbacks.ts';

type ProcessorApp = AppOptions & {
  store: EventStore;
  providers: Providers;
  /** If absent, there are only the accounts of the environment. */
  accounts?: Pick<AccountConnectors, 'use'>;
  personal: ReportSealers;
  now(): number;
};

/** Callbacks of providers, probes and metrics. */
export function createProcessorApp({
  store,
  providers,
  accounts,
  personal,
  now,
  ...base
}: ProcessorApp): Hono<AppEnv> {
  const app = createApp<AppEnv>(base);
  registerMetrics(app, base.metrics);
  const count = createReportMetrics(base.metrics, providers.keys());
  callbackRoutes(app, { store, providers, personal, now, count, ...(accounts && { accounts }) });
  return app;
}
