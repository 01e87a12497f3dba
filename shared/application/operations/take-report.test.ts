import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { lateStream } from '#shared/domain/late/events.ts';
import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import type { ProviderAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import { create } from '#shared/domain/operation/testing/create.ts';
import {
  accepted as acceptedBy,
  admitted,
  leg,
  route,
  started,
} from '#shared/domain/operation/testing/given.ts';
import type { ProviderReport } from '#shared/domain/operation/reports/report.ts';
import type { Route } from '#shared/domain/routing.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import { faultyStore } from '#shared/application/ledger/testing/faulty-store.ts';
import { sealedPattern } from '#shared/application/personal-data/sealed-value.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { KeyUnreadable } from '#shared/application/personal-data/key-ring.ts';
import type { ReportSealers } from '#shared/application/personal-data/personal-data.ts';
import { toNewEvents } from '../commands/new-events.ts';
import { takeReport } from './take-report.ts';

const origin = { actor: 'provider:sandbox', correlationId: 'c' };
const converting = route({ conversion: { settlement_currency: 'USD', fx_source: 'sandbox' } });

/** Applies a report, during the create, that the first attempt was paid. */
async function takeDuringCreate(
  by: Route,
  answer: ProviderAnswer,
  personalData: (store: EventStore) => ReportSealers = testPersonalData,
) {
  const history: OperationEvent[] = [admitted(), started(1, by)];
  const [first] = history;
  const operationId = first?.type === 'OperationAdmitted' ? first.data.operation_id : '';
  const store = faultyStore();
  store.force(operationStream(operationId), toNewEvents(history, origin));
  const report = { attempt: 1, status: 'completed', legs: [leg('a', '100.00')] } as const;
  const incoming = { operationId, provider: 'sandbox', answer, report };
  const port = { ...store, recent: () => undefined } as unknown as EventStore;
  const { outcome } = await takeReport(
    { store: port, personal: personalData(port) },
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

  it('waits if the requisites can’t be encrypted (R17.6)', async () => {
    const requisites = { number: '2200000012345674' };
    const answer = { outcome: 'accepted', providerReference: 'ref', requisites } as const;
    const lost = async () => Promise.reject(new KeyUnreadable('the master key is lost'));
    const result = await takeDuringCreate(route(), answer, () => ({
      sealer: lost,
      sealerAfterEnd: lost,
    }));
    expect(result).toMatchObject({ outcome: 'undecided', types: [] });
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

const { operationId, request } = create();

/** A store with an accepted payment; `beforeLateAppend` runs once, before the first late append. */
function storeOf(
  beforeLateAppend: (append: (...events: OperationEvent[]) => void) => void,
  currency = 'RUB',
  beforeRead: (...args: Parameters<EventStore['read']>) => StoredEvent[] | undefined = () =>
    undefined,
) {
  const store = faultyStore();
  const append = (...events: OperationEvent[]) =>
    store.force(operationStream(operationId), toNewEvents(events, origin));
  append(admitted({ request: { ...request, currency } }), started(), acceptedBy());
  let isDone = false;
  const port = {
    ...store,
    recent: () => undefined,
    read: async (...args: Parameters<EventStore['read']>) => {
      if (!isDone && args[0] === lateStream(operationId)) {
        isDone = true;
        beforeLateAppend(append);
      }
      return beforeRead(...args) ?? store.read(...args);
    },
  } as unknown as EventStore;
  const take = (report: Partial<ProviderReport>) =>
    takeReport(
      { store: port, personal: testPersonalData(port) },
      {
        operationId,
        provider: 'sandbox',
        answer: { outcome: 'accepted', providerReference: 'ref' },
        report: { attempt: 1, status: 'open', legs: [], ...report },
      },
      origin,
    );
  return { store, take };
}

describe('late facts', () => {
  it('are decided on the operation as it is then, not at the first append (R13.7)', async () => {
    // While the return is recorded, the payment's window ends.
    const expired: OperationEvent = {
      type: 'OperationExpired',
      data: { actual_amount: '0.00', settlement_amount: '0.00', commission_amount: '0.00' },
    };
    const { store, take } = storeOf((append) => append(expired));
    const returned = { ...leg('b', '130.00'), of_leg_id: 'a' };
    const result = await take({ returns: [returned] });
    expect(result).toMatchObject({ outcome: 'taken', operation: { status: 'expired' } });
    const [late] = store.log.filter(({ stream }) => stream === lateStream(operationId));
    // The operation has ended, so the merchant is notified of the total.
    expect(late).toMatchObject({ type: 'MoneyReturned', data: { total: '130.00' } });
  });
});

it('refuses a report of half a unit of a currency without decimals (R3.3)', async () => {
  const { store, take } = storeOf(() => undefined, 'JPY');
  const recorded = store.log.length;
  const outcome = { outcome: 'amount_invalid' };
  expect(await take({ status: 'completed', legs: [leg('a', '0.50')] })).toEqual(outcome);
  const returned = { ...leg('b', '0.50'), of_leg_id: 'a' };
  expect(await take({ legs: [leg('a', '1.00')], returns: [returned] })).toEqual(outcome);
  expect(store.log).toHaveLength(recorded);
  expect((await take({ legs: [leg('a', '1.00')] })).outcome).toBe('taken');
});

describe('a report that can’t be compared with earlier ones', () => {
  it('is refused if it lowers a leg without a version, after one with a version (R13.3)', async () => {
    const { store, take } = storeOf(() => undefined);
    expect((await take({ version: 1, legs: [leg('a', '60.00')] })).outcome).toBe('taken');
    const recorded = store.log.length;
    expect(await take({ legs: [leg('a', '40.00')] })).toEqual({ outcome: 'report_unnumbered' });
    expect(store.log).toHaveLength(recorded);
    expect((await take({ version: 2, legs: [leg('a', '40.00')] })).outcome).toBe('taken');
    expect(store.log.at(-1)).toMatchObject({ type: 'LegCorrected', data: { was: '60.00' } });
  });

  it('is refused if it lacks a chargeback without a version, and its report had one', async () => {
    const { store, take } = storeOf(() => undefined);
    const legs = [leg('a', '100.00')];
    await take({ version: 1, status: 'completed', legs });
    await take({
      version: 2,
      status: 'completed',
      legs,
      returns: [{ ...leg('b', '100.00'), of_leg_id: 'a' }],
    });
    const recorded = store.log.length;
    const unnumbered = await take({ status: 'completed', legs });
    expect(unnumbered).toEqual({ outcome: 'report_unnumbered' });
    expect(store.log).toHaveLength(recorded);
    await take({ version: 3, status: 'completed', legs });
    expect(store.log.at(-1)).toMatchObject({ type: 'DifferenceReported', data: { of: 'return' } });
  });
});

describe('a report is undecided', () => {
  const returned = { returns: [{ ...leg('b', '130.00'), of_leg_id: 'a' }] };
  const isCheck = (stream: string, question?: { maxCount?: number }) =>
    stream === operationStream(operationId) && question?.maxCount === 1;

  it('while it is not known if it contradicts numbered ones', async () => {
    let isDown = false;
    const down = new Error('the store is down');
    const { take } = storeOf(
      () => undefined,
      'RUB',
      (stream) => {
        if (isDown && stream === lateStream(operationId)) throw down;
        return undefined;
      },
    );
    await take({ version: 1, legs: [leg('a', '60.00')] });
    isDown = true;
    const undecided = { outcome: 'undecided', cause: down };
    expect(await take({ legs: [leg('a', '40.00')] })).toEqual(undecided);
  });

  it('while it is not known if the operation has changed', async () => {
    const down = new Error('the store is down');
    const { take } = storeOf(
      () => undefined,
      'RUB',
      (...args) => {
        if (isCheck(...args)) throw down;
        return undefined;
      },
    );
    expect(await take(returned)).toEqual({ outcome: 'undecided', cause: down });
  });

  it('if the operation changes during each try, for less than the audit’s minute', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const began = performance.now();
    const { store, take } = storeOf(
      () => undefined,
      'RUB',
      (...args) => {
        if (!isCheck(...args)) return undefined;
        vi.advanceTimersByTime(5_000);
        return store.log.slice(0, 1);
      },
    );
    expect(await take(returned)).toMatchObject({ outcome: 'undecided' });
    expect(performance.now() - began).toBe(20_000);
  });
});
