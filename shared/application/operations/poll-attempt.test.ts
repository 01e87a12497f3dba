import { expect, it } from 'vitest';
import { faultyStore } from '#shared/application/ledger/testing/faulty-store.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import type { Providers } from '#shared/application/providers/connector.ts';
import { lateStream, type LateEvent } from '#shared/domain/late/events.ts';
import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import { applyReport } from '#shared/domain/operation/reports/apply-report.ts';
import { create } from '#shared/domain/operation/testing/create.ts';
import { accepted, admitted, leg, started } from '#shared/domain/operation/testing/given.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { toNewEvents } from '../commands/new-events.ts';
import { pollAttempt } from './poll-attempt.ts';
import { readOperation } from './streams.ts';

const origin = { actor: 'provider:sandbox', correlationId: 'c' };

/** Polls a provider with this report, about a payment with these events. */
async function poll(
  { events, late = [] }: { events: readonly OperationEvent[]; late?: readonly LateEvent[] },
  report: object,
) {
  const { operationId } = create();
  const memory = faultyStore();
  const store = { ...memory, recent: () => undefined } as unknown as EventStore;
  memory.force(operationStream(operationId), toNewEvents(events, origin));
  memory.force(lateStream(operationId), toNewEvents(late, origin));
  const operation = await readOperation(store, operationId);
  const [attempt] = operation?.attempts ?? [];
  if (!operation || !attempt) throw new Error('the operation has no attempt');
  const answer = { outcome: 'accepted', providerReference: 'ref' } as const;
  const ask = async () => ({ outcome: 'known', answer, report: { attempt: 1, ...report } });
  const providers = new Map([['sandbox', { ask }]]) as unknown as Providers;
  const ports = { store, personal: testPersonalData(store), providers };
  const bounds = { timeoutMs: 1_000 };
  const polled = await pollAttempt(ports, { operation, attempt }, { bounds, origin, now: () => 0 });
  const facts = await store.read(lateStream(operationId));
  return { polled, facts: facts.slice(late.length).map(({ type }) => type) };
}

it('does not know what a provider means by half a unit of a currency without decimals (R3.3)', async () => {
  const { request } = create();
  const inYen = admitted({ request: { ...request, currency: 'JPY' } });
  const { polled } = await poll(
    { events: [inYen, started(), accepted()] },
    { status: 'open', legs: [leg('a', '40.50')] },
  );
  const cause = expect.stringContaining('decimals');
  expect(polled).toMatchObject({ outcome: 'unknown', cause, holds: true });
});

it('holds an accepted attempt whose unnumbered end contradicts a numbered report (R13.11)', async () => {
  const first = { attempt: 1, leg: leg('a', '60.00'), report_version: 1 };
  const events = [admitted(), started(), accepted(), { type: 'LegReceived', data: first } as const];
  const { polled } = await poll({ events }, { status: 'completed', legs: [leg('a', '40.00')] });
  const cause = expect.stringContaining('contradicts');
  expect(polled).toMatchObject({ outcome: 'unknown', cause, holds: true });
});

const wrongVersion = 1_000_000_000;

it('takes the response to a poll although a higher number was recorded before (R13.20)', async () => {
  const first = { attempt: 1, leg: leg('a', '40.00'), report_version: wrongVersion };
  const events = [admitted(), started(), accepted(), { type: 'LegReceived', data: first } as const];
  const legs = [leg('a', '40.00'), leg('b', '60.00')];
  const { polled } = await poll({ events }, { version: 3, status: 'completed', legs });
  expect(polled).toMatchObject({ outcome: 'taken', operation: { status: 'completed' } });
  // It is not known which of the two is newer.
  const corrected = { version: 3, status: 'open', legs: [leg('a', '30.00')] };
  const { polled: unsure } = await poll({ events }, corrected);
  expect(unsure).toMatchObject({ outcome: 'unknown', holds: true });
});

it('takes late money from a poll although a late fact has a higher number (R13.20)', async () => {
  const { operationId, shopId, merchantId } = create();
  const about = { operation_id: operationId, shop_id: shopId, merchant_id: merchantId, attempt: 1 };
  const money = { ...about, provider: 'sandbox', currency: 'RUB' };
  const wrong = { ...money, leg: leg('b', '5.00'), report_version: wrongVersion };
  const { events } = applyReport(fold([admitted(), started(), accepted()]), {
    attempt: 1,
    version: 1,
    status: 'completed',
    legs: [leg('a', '100.00')],
  });
  const legs = [leg('a', '100.00'), leg('b', '5.00'), leg('c', '7.00')];
  const { facts } = await poll(
    {
      events: [admitted(), started(), accepted(), ...events],
      late: [{ type: 'LateMoneyReceived', data: wrong }],
    },
    { version: 3, status: 'completed', legs },
  );
  expect(facts).toEqual(['LateMoneyReceived']);
});
