import type { Metrics } from '#shared/platform/http/metrics.ts';
import { newId } from '#shared/platform/ids.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { SandboxContext } from './attempt/record.ts';
import { createDispatcher } from './callbacks/dispatcher.ts';
import type { SendCallback } from './callbacks/send.ts';
import { createSaveChange } from './changes.ts';
import { createControl } from './control.ts';
import { createCallbackMetrics } from './metrics.ts';
import { createReceiptDesk } from './receipts.ts';
import { createSandbox } from './sandbox.ts';
import { createScheduler } from './scheduler.ts';
import { createSandboxStatements } from './statements.ts';
import type { SandboxMemory } from './store/memory.ts';
import { createWaiters } from './waiters.ts';

type ProviderOptions = {
  memory: SandboxMemory;
  send: SendCallback;
  /** Whether `autopilot_ms` is heeded. */
  autopilot: boolean;
  /** Whether an amount chooses what happens where the route's options are empty. */
  byAmount: boolean;
  logger: Logger;
  metrics: Metrics;
};

/** The provider as a whole: its API, its own changes, its callbacks. */
export function createSandboxProvider({
  memory,
  send,
  autopilot,
  byAmount,
  logger,
  metrics,
}: ProviderOptions) {
  const context = (): SandboxContext => ({ nowMs: Date.now(), newId });
  const waiters = createWaiters();
  // Both only arm a timer: what they read is committed by then.
  const save = createSaveChange(memory, {
    autopilot,
    onTimer: () => scheduler.poke(),
    onCallback: () => dispatcher.poke(),
  });
  const observe = createCallbackMetrics(metrics, () => memory.callbacks.waiting());
  const dispatcher = createDispatcher(memory.callbacks, { send, now: Date.now, logger, observe });
  const dependencies = { memory, save, waiters, context, byAmount };
  const scheduler = createScheduler(dependencies, logger);
  return {
    memory,
    sandbox: createSandbox(dependencies),
    control: createControl(dependencies),
    desk: createReceiptDesk(dependencies),
    statements: createSandboxStatements(memory.movements, Date.now),
    /** Takes up what an earlier process left. */
    start: () => {
      scheduler.poke();
      dispatcher.poke();
    },
    /** Answers all waiting requests. */
    release: () => waiters.stop(),
    /** Ends deliveries and timers; what is not done stays in the database. */
    stop: async () => {
      scheduler.stop();
      await dispatcher.stop();
    },
  };
}

export type Provider = ReturnType<typeof createSandboxProvider>;
