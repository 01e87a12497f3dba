import { guardCheckpoints } from '#shared/application/log/guard-checkpoints.ts';
import type { NatsConnection } from 'nats';
import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { prepareDatabase } from '#shared/platform/database/prepare.ts';
import { createDirectory, type Directory } from '#shared/application/directory/directory.ts';
import { type CheckpointGuard, type EventStore } from '#shared/platform/event-store/index.ts';
import type { EventSigner } from '#shared/platform/event-store/signature.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import { createLedgers } from '#shared/application/ledger/ledgers.ts';
import type { Ledgers } from '#shared/application/ledger/types.ts';
import type { PersonalData } from '#shared/application/personal-data/personal-data.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { createWaitLog } from '#shared/platform/logging/wait-log.ts';
import { createEntryPoster } from '#shared/application/operations/post-before-answer.ts';
import { busNames, type BusNames } from './bus.ts';
import type { Component } from './component.ts';
import { migrateWebhooks } from '#shared/application/webhooks/database/migrations.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { Dispatcher } from './dispatch/dispatcher.ts';
import { createResolve, type Resolve } from './dispatch/guard/resolve.ts';
import { Handover } from './handover.ts';
import { Ingest } from './ingest/ingest.ts';
import { createWebhookMetrics } from './metrics.ts';
import { connectNats, OldNats } from './nats.ts';
import { createUndelivered } from './reconcile/may-arrive.ts';
import { createReconciliation } from './reconcile/reconcile.ts';
import { Relay } from './relay/relay.ts';

export const parts = ['relay', 'ingest', 'dispatch', 'reconcile'] as const;
export type ServicePart = (typeof parts)[number];

export type WebhookServiceOptions = {
  /** The caller connected it, and closes it. */
  store: EventStore;
  /** The process's ledgers, if other services in it post to them too. */
  ledgers?: Ledgers | undefined;
  directory?: Directory;
  /**
   * The service's own keys, for the codes of recorded messages; without it each message that was
   * recorded is compared with the log before it is sent.
   */
  macKey?: EventSigner | undefined;
  /** Decrypts the sealed parts of webhooks. */
  personal: Pick<PersonalData, 'openFields'>;
  databaseUrl: string;
  natsUrl: string;
  scheduleMs: readonly number[];
  allowPrivate: boolean;
  logger: Logger;
  metrics: Metrics;
  /** The oldest NATS server that is accepted; any by default. */
  leastNats?: string | undefined;
  /** All by default. */
  only?: readonly ServicePart[];
  /** For tests, which share a server and do not wait for 15 s. */
  names?: BusNames;
  attemptDeadlineMs?: number;
  failingAfterMs?: number;
  longestRetryMs?: number;
  reconcile?: { everyMs: number; minAgeMs: number; patienceMs: number };
  resolve?: Resolve;
};

export type WebhookService = {
  /** Why it can't work now; undefined if it can. */
  notReady(): string | undefined;
  stop(): Promise<void>;
};

const maxConnections = 10;
const storePauseMs = 200;
/** PostgreSQL itself ends a statement after 30 s. */
const silenceMs = 35_000;

/** Starts the parts of the service; returns at once, and waits for the stores in the background. */
export function startWebhookService(options: WebhookServiceOptions): WebhookService {
  const service = new RunningService(options);
  service.run();
  return service;
}

class RunningService implements WebhookService {
  readonly #options: WebhookServiceOptions;
  readonly #only: readonly ServicePart[];
  readonly #stopped = new AbortController();
  readonly #db: Kysely<WebhooksDatabase>;
  readonly #queue: Kysely<WebhooksDatabase>;
  readonly #directory: Directory;
  readonly #ledgers: Ledgers;
  readonly #guard: CheckpointGuard;
  readonly #build: Record<ServicePart, () => Component | Promise<Component>>;
  #nats: NatsConnection | undefined;
  #components: Component[] = [];
  #waitingFor: string | undefined = 'PostgreSQL';
  #running: Promise<void> = Promise.resolve();

  constructor(options: WebhookServiceOptions) {
    const { store, databaseUrl } = options;
    this.#options = options;
    this.#guard = guardCheckpoints(options);
    this.#only = options.only ?? parts;
    const connected = { silenceMs, maxConnections };
    this.#db = connectDatabase(databaseUrl, { applicationName: 'webhooks', ...connected });
    this.#queue = connectDatabase(databaseUrl, {
      applicationName: 'webhooks-queue',
      ...connected,
    });
    this.#directory = options.directory ?? createDirectory(store);
    this.#ledgers = options.ledgers ?? createLedgers({ store, metrics: options.metrics });
    const posting = { store, ledgers: this.#ledgers, logger: options.logger };
    const shared = {
      ...options,
      guard: this.#guard,
      directory: this.#directory,
      names: options.names ?? busNames,
      entryPoster: createEntryPoster({ ...posting, actor: 'service:webhooks' }),
      handover: new Handover(),
      ...createWebhookMetrics(options.metrics, this.#db, () => this.#ready()),
    };
    this.#build = {
      relay: () => {
        const connect = () => this.#connectNats('webhooks-relay', false);
        return new Relay({ ...shared, db: this.#db, connect });
      },
      ingest: async () => {
        this.#nats = await this.#untilConnected();
        return new Ingest({ ...shared, db: this.#queue, nats: this.#nats });
      },
      dispatch: () => {
        const { scheduleMs, resolve = createResolve() } = options;
        const retry = { scheduleMs, random: Math.random };
        return new Dispatcher({ ...shared, db: this.#queue, retry, resolve });
      },
      reconcile: () => {
        const connect = () => this.#connectNats('webhooks-reconcile', false);
        const undelivered = createUndelivered({ ...shared, db: this.#db, connect });
        return createReconciliation({
          ...shared,
          undelivered,
          db: this.#db,
          ...options.reconcile,
        });
      },
    };
  }

  run(): void {
    this.#running = this.#runParts();
    this.#running.catch((error: unknown) => {
      if (!this.#stopped.signal.aborted)
        this.#options.logger.fatal({ err: error }, 'the service can not run');
    });
  }

  notReady(): string | undefined {
    return (
      (this.#waitingFor && `waiting for ${this.#waitingFor}`) ??
      this.#guard.notReady() ??
      this.#components
        .map((component) => component.notReady())
        .find((reason) => reason !== undefined)
    );
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.race([this.#running.catch(() => undefined), delay(10_000)]);
    await this.#nats?.close();
    await Promise.all([this.#directory.stop(), this.#ledgers.stop()]);
    await Promise.all([this.#db.destroy(), this.#queue.destroy()]);
  }

  #ready(): ReadonlyMap<string, boolean> {
    return new Map(
      this.#only.map((part) => {
        const component = this.#components.find(({ name }) => name === part);
        return [part, component !== undefined && component.notReady() === undefined];
      }),
    );
  }

  async #runParts(): Promise<void> {
    const { signal } = this.#stopped;
    const { logger } = this.#options;
    if (!(await prepareDatabase(() => migrateWebhooks(this.#db), { logger, signal }))) return;
    const tasks = this.#only.map(async (part) => {
      const component = await this.#build[part]();
      this.#components = [...this.#components, component];
      if (this.#components.length === this.#only.length) this.#waitingFor = undefined;
      await component.run(signal);
    });
    await Promise.all(tasks);
  }

  #connectNats(name: string, reconnect: boolean): Promise<NatsConnection> {
    const { natsUrl, leastNats } = this.#options;
    return connectNats({ natsUrl, leastNats, name, reconnect, pauseMs: storePauseMs });
  }

  /** The ingest's connection, which the client always reopens. */
  async #untilConnected(): Promise<NatsConnection> {
    const { signal } = this.#stopped;
    const { logger } = this.#options;
    const waiting = createWaitLog('NATS', { logger });
    for (;;) {
      signal.throwIfAborted();
      try {
        return await this.#connectNats('webhooks-ingest', true);
      } catch (error) {
        const isOld = error instanceof OldNats;
        if (isOld && this.#waitingFor !== error.message)
          logger.error({ err: error }, 'the NATS server is too old');
        this.#waitingFor = isOld ? error.message : 'NATS';
        logger.debug({ err: error }, 'NATS could not be reached yet');
        waiting(error);
        await delay(storePauseMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}
