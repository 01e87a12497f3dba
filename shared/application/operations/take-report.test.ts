import { describe, expect, it } from 'vitest';
import { lateStream } from '#shared/domain/late/events.ts';
import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import type { ProviderAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import { admitted, leg, route, started } from '#shared/domain/operation/testing/given.ts';
import type { Route } from '#shared/domain/routing.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { faultyStore } from '#shared/application/ledger/testing/faulty-store.ts';
import { sealedPattern } from '#shared/application/personal-data/sealed-value.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { toNewEvents } from '../commands/new-events.ts';
import { takeReport } from './take-report.ts';

const origin = { actor: 'provider:sandbox', correlationId: 'c' };
const converting = route({ conversion: { settlement_currency: 'USD', fx_source: 'sandbox' } });

/** Applies a report, during the create, that the first attempt was paid. */
async function takeDuringCreate(by: Route, answer: ProviderAnswer) {
  const history: OperationEvent[] = [admitted(), started(1, by)];
  const [first] = history;
  const operationId = first?.type === 'OperationAdmitted' ? first.data.operation_id : '';
  const store = faultyStore();
  store.force(operationStream(operationId), toNewEvents(history, origin));
  const report = { attempt: 1, status: 'completed', legs: [leg('a', '100.00')] } as const;
  const incoming = { operationId, provider: 'sandbox', answer, report };
  const port = { ...store, recent: () => undefined } as unknown as EventStore;
  const { outcome } = await takeReport(
    { store: port, personal: testPersonalData(port) },
    incoming,
    origin,
  );
  const late = store.log.filter(({ stream }) => stream === lateStream(operationId));
  const added = store.log
    .slice(history.length)
    .filter(({ stream }) => !stream.startsWith('personal-'));
  const accepted = added.find(({ type }) => type === 'AttemptAccepted')?.data;
  return { outcome, types: added.map(({ type }) => type), late: late.length, accepted };
}

describe('a report that arrives during the create', () => {
  it('applies the acceptance and the terminal status before the response (R13.4)', async () => {
    const answer = {
      outcome: 'accepted',
      providerReference: 'ref',
      requisites: { number: '2200' },
    } as const;
    const types = ['AttemptAccepted', 'OperationCompleted'];
    expect(await takeDuringCreate(route(), answer)).toMatchObject({
      outcome: 'taken',
      types,
      late: 0,
    });
  });

  it('is stored with sealed requisites', async () => {
    const requisites = { number: '2200000012345674', name: 'ИВАН ПЕТРОВ', bankname: 'sberbank' };
    const answer = { outcome: 'accepted', providerReference: 'ref', requisites } as const;
    const { accepted, types } = await takeDuringCreate(route(), answer);
    expect(types).toEqual(['AttemptAccepted', 'OperationCompleted']);
    expect(accepted).toMatchObject({
      requisites: { sealed: expect.stringMatching(sealedPattern), bankname: 'sberbank' },
    });
    // Sealed bytes may contain any four digits by chance.
    for (const secret of [requisites.number, requisites.number.slice(-8), 'ИВАН'])
      expect(JSON.stringify(accepted)).not.toContain(secret);
  });

  it('leaves a refusal to the create, which tries the next route', async () => {
    const answer = { outcome: 'refused', reason: 'declined' } as const;
    expect(await takeDuringCreate(route(), answer)).toEqual({
      outcome: 'too_early',
      types: [],
      late: 0,
    });
  });

  it('leaves an acceptance without an FX rate to the create', async () => {
    const answer = {
      outcome: 'accepted',
      providerReference: 'ref',
      requisites: { number: '2200' },
    } as const;
    expect(await takeDuringCreate(converting, answer)).toEqual({
      outcome: 'too_early',
      types: [],
      late: 0,
    });
    const quoted = await takeDuringCreate(converting, { ...answer, fxRate: '0.0125' });
    expect(quoted.types).toEqual(['AttemptAccepted', 'OperationCompleted']);
  });
});
