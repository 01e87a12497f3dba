import { describe, expect, it } from 'vitest';
import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { accepted, admitted, given, leg, started } from '#shared/domain/operation/testing/given.ts';
import { applyReport } from '#shared/domain/operation/reports/apply-report.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import { faultyStore } from '#shared/application/ledger/testing/faulty-store.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { createCurrentReads } from './current-reads.ts';

const pending = [admitted(), started(), accepted()];
const paid = { attempt: 1, status: 'completed', legs: [leg('a', '100.00')] } as const;
const completed = [...pending, ...applyReport(given(...pending).state, paid).events];

/** Reads an operation whose events were received from a log that no longer responds. */
function readWithoutLog(history: readonly OperationEvent[]) {
  const { operationId } = fold(history) as Operation;
  const seen = faultyStore();
  seen.force(
    operationStream(operationId),
    toNewEvents(history, { actor: 'service:test', correlationId: 'c' }),
  );
  const unavailable = () => Promise.reject(new Error('the log is away'));
  const store = {
    recent: () => seen.log,
    read: unavailable,
    readLog: unavailable,
    head: unavailable,
  };
  const ledgers = { position: unavailable };
  return createCurrentReads({ store: store as unknown as EventStore, ledgers }).operation(
    operationId,
  );
}

describe('a read of a cached operation', () => {
  it('needs no log if the status is terminal', async () => {
    expect(await readWithoutLog(completed)).toMatchObject({ status: 'completed' });
  });

  it('reads the log if the status is not terminal', async () => {
    await expect(readWithoutLog(pending)).rejects.toThrow('the log is away');
  });
});
