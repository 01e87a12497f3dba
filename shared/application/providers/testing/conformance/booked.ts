import type { LateEvent } from '#shared/domain/late/events.ts';
import { evolveLate, recordLate } from '#shared/domain/late/record.ts';
import { nothingLate } from '#shared/domain/late/state.ts';
import { fromMinor, toMinor } from '#shared/domain/ledger/minor.ts';
import { recordAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import { evolve, fold } from '#shared/domain/operation/evolve.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { applyReport } from '#shared/domain/operation/reports/apply-report.ts';
import type { OperationState } from '#shared/domain/operation/state.ts';
import type { AttemptKnown } from '../../connector.ts';
import type { Submission } from './harness.ts';

/**
 * The result of an operation that applies these reports in order: the money that the gateway
 * counts, and the returns that exceed the received money.
 */
export function moneyAfterReports(
  { type, request, route, operationId }: Submission,
  states: readonly AttemptKnown[],
) {
  const begun: OperationEvent[] = [
    {
      type: 'OperationAdmitted',
      data: {
        operation_id: operationId,
        shop_id: 'shop',
        merchant_id: 'merchant',
        type,
        merchant_operation_id: 'order-1',
        body_hash: { rest: 'hash' },
        request,
        accept_until: '2026-01-31T12:00:15.000Z',
      },
    },
    { type: 'AttemptStarted', data: { attempt: 1, route } },
    ...(type === 'payout'
      ? ([{ type: 'FundsReserved', data: { reservation: 1, attempt: 1 } }] as const)
      : []),
  ];
  let state: OperationState = fold(begun);
  let late = nothingLate;
  const lateEvents: LateEvent[] = [];
  for (const { answer, report } of states) {
    const answered = recordAnswer(state, { attempt: 1, answer, routes: [], timeIsUp: false });
    state = ('events' in answered ? answered.events : []).reduce<OperationState>(evolve, state);
    const { events, late: facts } = applyReport(state, report);
    state = events.reduce<OperationState>(evolve, state);
    if (state.phase !== 'admitted') throw new Error('it was admitted');
    const recorded = recordLate(late, { operation: state, report, facts }).events;
    late = recorded.reduce(evolveLate, late);
    lateEvents.push(...recorded);
  }
  if (state.phase !== 'admitted') throw new Error('it was admitted');
  const minor = (amounts: readonly string[]) =>
    amounts.reduce((total, amount) => total + toMinor(amount), 0n);
  const lateAmounts = lateEvents.flatMap((each) =>
    each.type === 'LateMoneyReceived' ||
    (each.type === 'DifferenceReported' && each.data.of !== 'return')
      ? [each.data.leg.amount]
      : [],
  );
  const returnedData = lateEvents.flatMap((each) =>
    each.type === 'MoneyReturned' ? [each.data] : [],
  );
  const correctedReturns = lateEvents.flatMap((each) =>
    each.type === 'DifferenceReported' && each.data.of === 'return' ? [each.data.leg.amount] : [],
  );
  return {
    status: state.status,
    money: fromMinor(
      minor([...state.legs.map((leg) => leg.amount), ...lateAmounts]) -
        minor([...returnedData.map(({ leg }) => leg.amount), ...correctedReturns]),
    ),
    beyond: fromMinor(minor(returnedData.map(({ beyond = '0.00' }) => beyond))),
  };
}

/** The same order for the same seed. */
export function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  let state = seed + 1;
  const next = () => (state = (state * 48_271) % 2_147_483_647);
  return items
    .map((item) => ({ item, at: next() }))
    .toSorted((left, right) => left.at - right.at)
    .map(({ item }) => item);
}
