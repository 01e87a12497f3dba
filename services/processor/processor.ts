import type { EventStore } from '#shared/event-store/index.ts';
import type { Metrics } from '#shared/http/metrics.ts';
import { createLedgers, type LedgersOptions } from '#shared/ledger/ledgers.ts';
import type { Logger } from '#shared/logger.ts';
import type { PersonalData } from '#shared/personal-data/personal-data.ts';
import type { Providers } from '#shared/providers/connector.ts';
import type { ReceiptStore } from '#shared/receipts/store.ts';
import type { DueWork } from './due/due-work.ts';
import { runFeed } from './due/feed.ts';
import { defaultTimings, type Timings } from './due/next-look.ts';
import { createProcessorMetrics } from './metrics.ts';
import { createCalls } from './look/calls.ts';
import { startWorker } from './worker.ts';

export type ProcessorOptions = {
  due: DueWork;
  /** Resolves once `due` can be worked with; false when the signal came first. */
  prepare(signal: AbortSignal): Promise<boolean>;
  store: EventStore;
  providers: Providers;
  /** Seals the requisites of an acceptance that is learnt by asking. */
  personal: Pick<PersonalData, 'sealer'>;
  receipts: Pick<ReceiptStore, 'get'>;
  logger: Logger;
  metrics: Metrics;
  timings?: Timings;
  width?: number;
  leaseMs?: number;
  pollMs?: number;
  /** How much of each ledger is read at once and kept, and for how long. */
  ledgerOptions?: Pick<LedgersOptions, 'sizes' | 'idleMs'>;
};

const defaultWidth = 64;
const defaultLeaseMs = 8_000;
const defaultPollMs = 250;
/** Fewer in all than looks: what needs no provider always has room. */
const callLimits = { perLane: 8, total: 48 };

/** The processor's work: it follows the log and does what operations are owed, until it is stopped. */
export function startProcessor(options: ProcessorOptions): { stop(): Promise<void> } {
  const { due, store, providers, personal, receipts, logger, metrics, ...more } = options;
  const stopped = new AbortController();
  const { signal } = stopped;
  const timings = more.timings ?? defaultTimings;
  const ledgers = createLedgers({ ...more.ledgerOptions, store, metrics });
  const { onStep } = createProcessorMetrics(metrics, () => due.overdue());
  const run = async () => {
    if (!(await options.prepare(signal))) return;
    const worker = startWorker({
      due,
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
      leaseMs: more.leaseMs ?? defaultLeaseMs,
      pollMs: more.pollMs ?? defaultPollMs,
      signal,
    });
    const feed = runFeed({ due, store, timings, logger, onNews: worker.wake, signal });
    await Promise.all([feed, worker.stopped]);
  };
  const running = run();
  return {
    stop: async () => {
      stopped.abort();
      await running;
      await ledgers.stop();
    },
  };
}
