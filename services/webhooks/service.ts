import { connect, type NatsConnection } from 'nats';
import { setTimeout as delay } from 'node:timers/promises';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { createDirectory, type Directory } from '#shared/application/directory/directory.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import { createLedgers } from '#shared/application/ledger/ledgers.ts';
import type { Ledgers } from '#shared/application/ledger/types.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { natsConnectionOptions } from '#shared/platform/nats/connection-options.ts';
import { isOlderNats } from '#shared/platform/nats/least-version.ts';
import { createBooksFirst } from '#shared/application/operations/books-first.ts';
import { busNames, type BusNames } from './bus.ts';
import type { Component } from './component.ts';
import { migrateWebhooks } from '#shared/application/webhooks/database/migrations.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { Dispatcher } from './dispatch/dispatcher.ts';
import { createResolve, type Resolve } from './dispatch/guard/resolve.ts';
import { Handover } from './handover.ts';
import { Ingest } from './ingest/ingest.ts';
import { createWebhookMetrics } from './metrics.ts';
import { createReconciliation } from './reconcile/reconcile.ts';
import { createRelay } from './relay/relay.ts';

export const parts = ['relay', 'ingest', 'dispatch', 'reconcile'] as const;
export type Part = (typeof parts)[number];

export type WebhookServiceOptions = {
  /** Closed by whoever connected it. */
  store: EventStore;
  /** Those of the process, where other services of it write to them too. */
  ledgers?: Ledgers | undefined;
  directory?: Directory;
  databaseUrl: string;
  natsUrl: string;
  scheduleMs: readonly number[];
  allowPrivate: boolean;
  logger: Logger;
  metrics: Metrics;
  /** The oldest NATS server that it works with; any unless it is named. */
  leastNats?: string | undefined;
  /** All of them unless named. */
  only?: readonly Part[];
  /** For tests, which share a server, have one client a process and do not wait for 15 s. */
  names?: BusNames;
  attemptDeadlineMs?: number;
  reconcile?: { everyMs: number; minAgeMs: number };
  resolve?: Resolve;
};

export type WebhookService = {
  /** Why it can't do its work now; nothing when it can. */
  notReady(): string | undefined;
  stop(): Promise<void>;
};

/** It answers, and production is not to go by it. */
class OldNats extends Error {}

const maxConnections = 10;
/**
 * The table of messages is a queue, small now and large later: what works on it goes by its indexes, planned once,
 * whatever the statistics of the moment say.
 */
const queueSettings = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
};
const storePauseMs = 200;
const natsTimeoutMs = 2_000;
/** PostgreSQL itself ends a statement after 30 s. */
const silenceMs = 35_000;

/** Starts the parts of the service; returns at once, and waits for its stores behind that, however long it takes. */
export function startWebhookService(options: WebhookServiceOptions): WebhookService {
  const { logger, natsUrl, only = parts, names = busNames } = options;
  const stopped = new AbortController();
  const { signal } = stopped;
  const db = connectDatabase<WebhooksDatabase>(options.databaseUrl, {
    applicationName: 'webhooks',
    silenceMs,
    maxConnections,
  });
  const queue = connectDatabase<WebhooksDatabase>(options.databaseUrl, {
    applicationName: 'webhooks-queue',
    silenceMs,
    maxConnections,
    prepared: true,
    settings: queueSettings,
  });
  const { store } = options;
  const directory = options.directory ?? createDirectory(store);
  const ledgers = options.ledgers ?? createLedgers({ store, metrics: options.metrics });
  const booksFirst = createBooksFirst({ store, ledgers, logger, actor: 'service:webhooks' });
  const handover = new Handover();
  let waitingFor: string | undefined = 'PostgreSQL';
  let components: Component[] = [];
  const metrics = createWebhookMetrics(
    options.metrics,
    db,
    () =>
      new Map(
        only.map((part) => {
          const component = components.find(({ name }) => name === part);
          return [part, component !== undefined && component.notReady() === undefined];
        }),
      ),
  );
  let nats: NatsConnection | undefined;

  const connectNats = async (reconnect: boolean, name: string): Promise<NatsConnection> => {
    const connection = await connect({
      ...natsConnectionOptions(natsUrl),
      name,
      reconnect,
      // Else the client takes a stack trace at each publication, in case it fails.
      noAsyncTraces: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: storePauseMs,
      timeout: natsTimeoutMs,
    });
    const { leastNats } = options;
    const version = connection.info?.version ?? '';
    if (leastNats === undefined || !isOlderNats(version, leastNats)) return connection;
    await connection.close();
    throw new OldNats(`NATS ${leastNats} or newer: the server is ${version || 'of no version'}`);
  };

  /** The connection that the ingest keeps, and the client makes again for ever. */
  const untilConnected = async (): Promise<NatsConnection> => {
    for (;;) {
      signal.throwIfAborted();
      try {
        return await connectNats(true, 'webhooks-ingest');
      } catch (error) {
        const isOld = error instanceof OldNats;
        if (isOld && waitingFor !== error.message) logger.error({ err: error }, 'the NATS server is too old');
        waitingFor = isOld ? error.message : 'NATS';
        logger.debug({ err: error }, 'waiting for NATS');
        await delay(storePauseMs, undefined, { signal }).catch(() => undefined);
      }
    }
  };

  const build: Record<Part, () => Promise<Component>> = {
    relay: async () =>
      createRelay({
        store,
        db,
        names,
        logger,
        ...metrics,
        connect: () => connectNats(false, 'webhooks-relay'),
      }),
    ingest: async () => {
      nats = await untilConnected();
      return new Ingest({ store, db: queue, nats, names, logger, booksFirst, handover, ...metrics });
    },
    dispatch: async () =>
      new Dispatcher({
        store,
        directory,
        db: queue,
        databaseUrl: options.databaseUrl,
        logger,
        retry: { scheduleMs: options.scheduleMs, random: Math.random },
        allowPrivate: options.allowPrivate,
        handover,
        resolve: options.resolve ?? createResolve(),
        ...(options.attemptDeadlineMs !== undefined && { attemptDeadlineMs: options.attemptDeadlineMs }),
        ...metrics,
      }),
    reconcile: async () =>
      createReconciliation({ store, db, logger, ...options.reconcile, onReconciled: metrics.onReconciled }),
  };

  const running = (async () => {
    while (!signal.aborted) {
      try {
        await migrateWebhooks(db);
        break;
      } catch (error) {
        logger.debug({ err: error }, 'waiting for PostgreSQL');
        await delay(storePauseMs, undefined, { signal }).catch(() => undefined);
      }
    }
    const tasks = only.map(async (part) => {
      const component = await build[part]();
      components = [...components, component];
      if (components.length === only.length) waitingFor = undefined;
      await component.run(signal);
    });
    await Promise.all(tasks);
  })();
  running.catch((error: unknown) => {
    if (!signal.aborted) logger.fatal({ err: error }, 'the service can not run');
  });

  return {
    notReady: () =>
      (waitingFor && `waiting for ${waitingFor}`) ??
      components.map((component) => component.notReady()).find((reason) => reason !== undefined),
    stop: async () => {
      stopped.abort();
      await Promise.race([running.catch(() => undefined), delay(10_000)]);
      await nats?.close();
      await Promise.all([directory.stop(), ledgers.stop()]);
      await Promise.all([db.destroy(), queue.destroy()]);
    },
  };
}
