import { expect, it } from 'vitest';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import { faultyStore } from '#shared/application/ledger/testing/faulty-store.ts';
import { readOperation } from '#shared/application/operations/streams.ts';
import { takeReport } from '#shared/application/operations/take-report.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { lateStream } from '#shared/domain/late/events.ts';
import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import type { ProviderReport } from '#shared/domain/operation/reports/report.ts';
import { create } from '#shared/domain/operation/testing/create.ts';
import {
  accepted as acceptedBy,
  admitted,
  leg,
  noMoney,
  started,
} from '#shared/domain/operation/testing/given.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { runDueStep } from './run-due-step.ts';

const origin = { actor: 'service:processor', correlationId: 'c' };
const answer = { outcome: 'accepted', providerReference: 'ref' } as const;
const cancelled: OperationEvent = {
  type: 'OperationCancelled',
  data: { ...noMoney, reason: 'changed my mind' },
};

it('notes a withdrawal whose report contradicts numbered ones without a version (R7.11)', async () => {
  const { store, types, warnings } = await withdrawAfter(1, { legs: [leg('a', '40.00')] });
  expect(types.at(-1)).toBe('AttemptWithdrawn');
  expect(await store.read(lateStream(create().operationId))).toHaveLength(1);
  expect(warnings).toHaveLength(1);
});

it('warns of a response with a lower number that contradicts, and is not applied (R13.20)', async () => {
  const lower = { legs: [leg('a', '40.00')], version: 3 };
  const { store, warnings } = await withdrawAfter(1_000_000_000, lower);
  const { operationId } = create();
  expect(await store.read(lateStream(operationId))).toHaveLength(1);
  const about = { operation_id: operationId, provider: 'sandbox', attempt: 1, status: 'open' };
  expect(warnings).toEqual([[about, expect.stringContaining('contradicts numbered reports')]]);
});

it('takes late money from a withdrawal although a late fact has a higher number (R13.20)', async () => {
  const legs = [leg('a', '60.00'), leg('b', '7.00')];
  const { store, types, warnings } = await withdrawAfter(1_000_000_000, { legs, version: 3 });
  expect(types.at(-1)).toBe('AttemptWithdrawn');
  expect(warnings).toEqual([]);
  expect(await store.read(lateStream(create().operationId))).toHaveLength(2);
});

/** Withdraws a cancelled payment's attempt, of which a late leg of 60.00 was reported before. */
async function withdrawAfter(version: number, withdrawn: Pick<ProviderReport, 'legs' | 'version'>) {
  const { operationId } = create();
  const memory = faultyStore();
  const store = { ...memory, recent: () => undefined } as unknown as EventStore;
  const history = toNewEvents([admitted(), started(), acceptedBy(), cancelled], origin);
  memory.force(operationStream(operationId), history);
  const personal = testPersonalData(store);
  const report = { attempt: 1, status: 'open', legs: [leg('a', '60.00')] } as const;
  const late = { operationId, provider: 'sandbox', answer, report: { ...report, version } };
  expect(await takeReport({ store, personal }, late, origin)).toMatchObject({ outcome: 'taken' });
  const operation = await readOperation(store, operationId);
  const [attempt] = operation?.attempts ?? [];
  if (!operation || !attempt) throw new Error('the operation has no attempt');
  const withdraw = async () => ({
    outcome: 'withdrawn',
    answer,
    report: { ...report, ...withdrawn },
  });
  const warnings: unknown[][] = [];
  const context = {
    store,
    personal,
    operation,
    origin,
    now: Date.now,
    providers: new Map([['sandbox', { withdraw }]]),
    logger: { warn: (...line: unknown[]) => void warnings.push(line) },
    calls: { run: (_: string, call: () => unknown) => call() },
  } as unknown as Parameters<typeof runDueStep>[0];
  expect(await runDueStep(context, { step: 'withdraw', attempt })).toEqual({ outcome: 'done' });
  const types = (await store.read(operationStream(operationId))).map(({ type }) => type);
  return { store, types, warnings };
}
