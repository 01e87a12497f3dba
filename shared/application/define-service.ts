import { watchClock } from '#shared/platform/clock/watch-clock.ts';
import { loadConfig, loadOptional, type Config } from '#shared/platform/config/load.ts';
import { loadSigningKey } from '#shared/platform/config/signing-key.ts';
import type { VariableName } from '#shared/platform/config/variables.ts';
import type { ErasableEventStore, EventStore } from '#shared/platform/event-store/types.ts';
import { createMetrics, type Metrics } from '#shared/platform/http/metrics.ts';
import { createLogger, type Logger } from '#shared/platform/logging/logger.ts';
import { startTracing, tracingVariables } from '#shared/application/start-tracing.ts';
import type { Directory } from './directory/directory.ts';
import type { Ledgers } from './ledger/types.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import type { Service } from './service.ts';

/**
 * The context of a starting service. What it shares with others of its process is closed with the
 * process.
 */
export type ServiceContext<
  RequiredName extends VariableName = never,
  OptionalName extends VariableName = never,
> = Omit<Lifecycle, 'leave' | 'stop'> & {
  name: string;
  config: Config<RequiredName> & { [N in OptionalName]: Config<N>[N] | undefined };
  logger: Logger;
  metrics: Metrics;
  eventStore(url: string): ErasableEventStore;
  ledgers(store: EventStore): Ledgers;
  directory(store: EventStore): Directory;
};

type ServiceDefinition<RequiredName extends VariableName, OptionalName extends VariableName> = {
  name: string;
  /** The environment variables that it needs. */
  variables: readonly RequiredName[];
  /** The environment variables that it can run without. */
  optional?: readonly OptionalName[];
  /** False for a service whose work belongs to no request's trace. */
  traced?: boolean;
  /** Whose key signs what it appends, if not its own. */
  signsAs?: string;
  /**
   * Whether it follows the log without verifying events: for what is only shown, and compared by
   * the audit.
   */
  followsUnverified?: boolean;
  /** Connects and listens; `onStop` takes functions that undo what was started. */
  start(context: ServiceContext<RequiredName, OptionalName>): Promise<unknown>;
};

/** A service, with the names of all variables that it reads. */
export type DefinedService = Service & { variables: readonly VariableName[] };

/**
 * Makes a service from its own part. The rest is the same for all: configuration, log, metrics and
 * traces at the start, and a stop in reverse order.
 */
export function defineService<
  RequiredName extends VariableName,
  OptionalName extends VariableName = never,
>(definition: ServiceDefinition<RequiredName, OptionalName>): DefinedService {
  const {
    name,
    traced = true,
    optional = [],
    signsAs = name,
    followsUnverified = false,
  } = definition;
  const own: readonly VariableName[] = definition.variables;
  const needed: readonly VariableName[] = [
    'LOG_LEVEL',
    'STOP_DELAY_MS',
    ...(traced ? tracingVariables : []),
    ...(own.includes('EVENT_STORE_URL') ? (['LOG_SIGNING_KEYS'] as const) : []),
    ...own,
  ];
  return {
    variables: [...needed, ...optional],
    start: async (host) => {
      const config = loadConfig(needed);
      const optionalConfig = Object.fromEntries(optional.map((each) => [each, loadOptional(each)]));
      const { DATABASE_URL } = { ...config, ...optionalConfig } as Partial<Config<'DATABASE_URL'>>;
      if (DATABASE_URL !== undefined) host.checkDatabase(DATABASE_URL);
      const logger = createLogger(name, config.LOG_LEVEL);
      const metrics = createMetrics(name);
      if (traced) startTracing(name, config, { logger, metrics });
      const { leave, stop, ...lifecycle } = createLifecycle({ name, logger, metrics });
      const clock = watchClock({ logger, metrics });
      lifecycle.onStop(() => clock.stop());
      await definition.start({
        ...lifecycle,
        name,
        config: Object.assign({}, config, optionalConfig) as ServiceContext<
          RequiredName,
          OptionalName
        >['config'],
        logger,
        metrics,
        eventStore: (url) =>
          host.eventStore(url, {
            metrics,
            logger,
            signer: loadSigningKey(signsAs),
            followsUnverified,
          }),
        ledgers: (store) => host.ledgers({ store, metrics, signer: loadSigningKey(signsAs) }),
        directory: (store) => host.directory(store),
      });
      const leaving = () => {
        leave();
        return config.STOP_DELAY_MS;
      };
      return { logger, leave: leaving, stop };
    },
  };
}
