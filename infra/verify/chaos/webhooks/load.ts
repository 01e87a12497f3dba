import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '#infra/process/wait-until.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { createOperation, endOperation } from '#services/webhooks/testing/history.ts';
import type { RequiredWebhook } from '../checks/webhooks.ts';
import type { Random } from '#infra/verify/harness/tests/random.ts';

export type PaymentLoad = ReturnType<typeof startPaymentLoad>;

type Kind = { receipt: boolean; end: 'completed' | 'declined' | 'expired' };

/** No payouts: without a reservation, their ends would require a search of the ledger. */
const kinds: [Kind, ...Kind[]] = [
  { receipt: true, end: 'completed' },
  { receipt: true, end: 'declined' },
  { receipt: true, end: 'expired' },
  { receipt: false, end: 'completed' },
  { receipt: false, end: 'declined' },
];

const endEvents = {
  completed: 'OperationCompleted',
  declined: 'OperationDeclined',
  expired: 'OperationExpired',
} as const;

const clients = 3;
const longestPauseMs = 30;
const moreWithinMs = 60_000;
/** A bound on the load, however long a fault lasts. */
const maxOperations = 2_000;

/** Runs payments of one shop, several at once, until it is stopped. */
export function startPaymentLoad(store: EventStore, shopId: string, random: Random) {
  const done: (Kind & { operationId: string })[] = [];
  let failure: unknown;
  let stopped = false;
  const client = async () => {
    while (!stopped && done.length < maxOperations) {
      const kind = random.pick(kinds);
      const { operationId } = await createOperation(store, shopId, kind);
      await delay(random.below(longestPauseMs));
      await endOperation(store, operationId, kind.end);
      done.push({ ...kind, operationId });
      await delay(random.below(longestPauseMs));
    }
  };
  const running = Promise.all(Array.from({ length: clients }, client)).catch((error: unknown) => {
    failure = error;
  });
  return {
    /** Waits until this many more have ended. */
    more: async (count: number) => {
      const until = Math.min(maxOperations, done.length + count);
      const enough = () => done.length >= until || failure !== undefined;
      await waitUntil('the load goes on', enough, { timeoutMs: moreWithinMs, intervalMs: 10 });
      if (failure !== undefined) throw failure;
    },
    /**
     * Ends the load.
     * @returns the required webhooks, derived from what was done, not from the service
     */
    stop: async () => {
      stopped = true;
      await running;
      if (failure !== undefined) throw failure;
      const required: RequiredWebhook[] = [];
      for (const { operationId, receipt, end } of done) {
        const types = [...(receipt ? ['AttemptAccepted'] : []), endEvents[end]];
        const events = await store.read(operationStream(operationId));
        for (const [at, type] of types.entries()) {
          const event = events.find((each) => each.type === type);
          if (!event) throw new Error(`${operationId} has no ${type}`);
          required.push({ id: event.id, operationId, sequence: at + 1 });
        }
      }
      return required;
    },
  };
}
