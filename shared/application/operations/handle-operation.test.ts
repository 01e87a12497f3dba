import { describe, expect, it } from 'vitest';
import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import { cancel } from '#shared/domain/operation/ends/cancel.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import { applyReport } from '#shared/domain/operation/reports/apply-report.ts';
import type { Operation, OperationState } from '#shared/domain/operation/state.ts';
import { accepted, admitted, given, leg, started } from '#shared/domain/operation/testing/given.ts';
import { faultyStore } from '#shared/application/ledger/testing/faulty-store.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { toNewEvents } from '../commands/new-events.ts';
import { handleOperation } from './handle-operation.ts';

const origin = { actor: 'service:test', correlationId: 'c' };
const pending = [admitted(), started(), accepted()];
const paid = { attempt: 1, status: 'completed', legs: [leg('a', '100.00')] } as const;
const completed = [...pending, ...applyReport(given(...pending).state, paid).events];

/** A store with this history, of which the process has received the first `seen` events. */
function afterSeeing(seen: number, history: readonly OperationEvent[]) {
  const { operationId, shopId, merchantId } = fold(history) as Operation;
  const stream = operationStream(operationId);
  const store = faultyStore();
  store.force(stream, toNewEvents(history, origin));
  let reads = 0;
  const port = {
    ...store,
    recent: () => store.log.slice(0, seen),
    read: (...args: Parameters<typeof store.read>) => {
      reads += 1;
      return store.read(...args);
    },
  } as unknown as EventStore;
  const cancelling = (state: OperationState) =>
    cancel(state, { operationId, shopId, merchantId, reason: 'test' });
  return {
    cancel: () => handleOperation({ store: port, operationId, origin, from: 'memory' }, cancelling),
    handle: (decide: typeof cancelling) =>
      handleOperation({ store: port, operationId, origin, from: 'memory' }, decide),
    added: () => store.log.slice(history.length).map(({ type }) => type),
    reads: () => reads,
  };
}

describe('a command on a cached operation', () => {
  it('is decided without a read', async () => {
    const operation = afterSeeing(pending.length, pending);
    expect(await operation.cancel()).toMatchObject({ outcome: 'done' });
    expect([operation.added(), operation.reads()]).toEqual([['OperationCancelled'], 0]);
  });

  it('is decided again on the store’s events if the cache lacks the newest one', async () => {
    const operation = afterSeeing(pending.length, completed);
    expect((await operation.cancel()).outcome).not.toBe('undecided');
    expect(operation.added()).toEqual([]);
    expect(operation.reads()).toBeGreaterThan(0);
  });

  it('is refused only after a read of the store', async () => {
    const operation = afterSeeing(2, pending);
    const result = await operation.handle((state) =>
      state.revision < 2 ? { refusal: { code: 'cancel_not_allowed' } } : { events: [] },
    );
    expect(result).toMatchObject({ outcome: 'done', state: { revision: 2 } });
  });
});
