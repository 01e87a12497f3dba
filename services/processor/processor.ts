import { guardCheckpoints } from '#shared/application/log/guard-checkpoints.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import { createLedgers, type LedgersOptions } from '#shared/application/ledger/ledgers.ts';
import type { Ledgers } from '#shared/application/ledger/types.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { ReportSealers } from '#shared/application/personal-data/personal-data.ts';
import type { AccountConnectors } from '#shared/application/providers/accounts/connectors.ts';
import type { Providers } from '#shared/application/providers/connector.ts';
import type { ReceiptStore } from '#shared/application/receipts/receipt-store.ts';
import type { DueQueue } from './due/due-queue.ts';
import type { DueStore } from './due/due-store.ts';
import { leadOrStandBy } from './lead.ts';
import { defaultTimings, type Timings } from './due/timings.ts';
import { createProcessorMetrics } from './metrics.ts';
import { createCalls } from './work/calls.ts';
import { createStandstillMetric, watchPayoutFiles } from './payout-files/standstill.ts';
import { runStatementFetching } from './statements/fetching.ts';
import { createStatementMetrics } from './statements/metrics.ts';

type ProcessorOptions = {
  due: DueStore;
  store: EventStore;
  /** The process's ledgers, if other services in the process also post to them. */
  ledgers?: Ledgers;
  providers: Providers;
  /** The accounts whose statements are fetched; without it no statements are fetched. */
  accounts?: Pick<AccountConnectors, 'list'>;
  /** Encrypts the requisites of an acceptance that is received by polling. */
  personal: ReportSealers;
  receipts: Pick<ReceiptStore, 'get'>;
  logger: Logger;
  metrics: Metrics;
  timings?: Timings;
  width?: number;
  /** How often due work is saved for the next leader. */
  saveEveryMs?: number;
  /** How long `due` may fail until this process works without it. */
  outageMs?: number;
  /** How long after the end of a day its statement is fetched from each provider. */
  statementsAfterMs?: number;
  /** How many entries of each ledger are read at once and cached, and for how long. */
  ledgerOptions?: Pick<LedgersOptions, 'sizes' | 'idleMs'>;
};

const defaultWidth = 64;
const defaultSaveEveryMs = 5_000;
const defaultOutageMs = 10_000;
const defaultStatementsAfterMs = 3_600_000;
/** Fewer than `defaultWidth`, so that steps without a call to a provider always have a slot. */
const callLimits = { perLane: 8, total: 48 };

type RunningProcessor = {
  /** Why it does not follow the log; undefined if it does, or is a standby. */
  notReady(): string | undefined;
  stop(): Promise<void>;
};

/** The processor: follows the log and runs the due steps of operations, until it is stopped. */
export function startProcessor(options: ProcessorOptions): RunningProcessor {
  const { due, store, providers, personal, receipts, logger, metrics, ...more } = options;
  const stopped = new AbortController();
  const { signal } = stopped;
  const timings = more.timings ?? defaultTimings;
  const ledgers = options.ledgers ?? createLedgers({ ...more.ledgerOptions, store, metrics });
  let queue: DueQueue | undefined;
  const { onStep, onSaveFailed } = createProcessorMetrics(metrics, {
    overdue: () => queue?.overdue(Date.now()),
    waiting: () => queue?.waiting(),
    providers: [...providers.keys()],
  });
  const guard = guardCheckpoints({ logger, metrics });
  const statementMetrics = createStatementMetrics(metrics);
  const onStandstill = createStandstillMetric(metrics);
  const running = leadOrStandBy({
    due,
    guard,
    onLead: (ownQueue) => {
      queue = ownQueue;
    },
    onSaveFailed,
    saveEveryMs: more.saveEveryMs ?? defaultSaveEveryMs,
    outageMs: more.outageMs ?? defaultOutageMs,
    whileLeading: async (leading) => {
      const shared = { store, logger, now: () => Date.now(), signal: leading };
      const fetching = runStatementFetching({
        ...shared,
        providers,
        accounts: options.accounts ?? { list: async () => [] },
        metrics: statementMetrics,
        afterMs: more.statementsAfterMs ?? defaultStatementsAfterMs,
      });
      await Promise.all([fetching, watchPayoutFiles({ ...shared, onStandstill })]);
    },
    store,
    providers,
    personal,
    ledgers,
    receipts,
    calls: createCalls(callLimits, () => Date.now()),
    timings,
    logger,
    onStep,
    now: () => Date.now(),
    random: () => Math.random(),
    width: more.width ?? defaultWidth,
    signal,
  });
  return {
    notReady: guard.notReady,
    stop: async () => {
      stopped.abort();
      await running;
      await ledgers.stop();
    },
  };
}
