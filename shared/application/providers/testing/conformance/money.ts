import { describe, expect, it } from 'vitest';
import { recordAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import { evolve, fold } from '#shared/domain/operation/evolve.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { applyReport } from '#shared/domain/operation/reports/apply-report.ts';
import { evolveLate, nothingLate, recordLate } from '#shared/domain/late/record.ts';
import { sum } from '#shared/domain/money.ts';
import type { OperationState } from '#shared/domain/operation/state.ts';
import type { AttemptKnown } from '../../connector.ts';
import type { Given } from './harness.ts';
import { amount, moneyIn, type Subject } from './subject.ts';

const rounds = 50;

export function describeMoney(subject: Subject): void {
  describe.each(subject.types)('the money of a %s', (type) => {
    it('counts once, in whatever order reports come and however often', async () => {
      const given = await subject.accepted(type);
      const reports = [await subject.known(given, () => true)];
      if (subject.simulator.parts.includes(type)) {
        await subject.simulator.pay(given, '40.00');
        reports.push(await subject.known(given, (said) => moneyIn(said) === '40.00'));
        await subject.simulator.pay(given, '60.00');
      } else await subject.simulator.pay(given);
      reports.push(await subject.known(given, (said) => moneyIn(said) === amount));
      reports.push(await subject.known(given, (said) => moneyIn(said) === amount));
      for (let round = 0; round < rounds; round += 1) {
        const told = [...shuffled([...reports, ...reports], round), reports.at(-1)!];
        expect(booked(given, told)).toEqual({ status: 'completed', money: amount });
      }
    });
  });
}

/** What an operation comes to that takes these reports, one after the other. */
function booked({ type, request, route, operationId }: Given, told: readonly AttemptKnown[]) {
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
  let lateMoney: string[] = [];
  for (const { answer, report } of told) {
    const taken = recordAnswer(state, { attempt: 1, answer, routes: [], timeIsUp: false });
    state = ('events' in taken ? taken.events : []).reduce<OperationState>(evolve, state);
    const { events, late: facts } = applyReport(state, report);
    state = events.reduce<OperationState>(evolve, state);
    if (state.phase !== 'admitted') throw new Error('it was admitted');
    const kept = recordLate(late, { operation: state, report, facts }).events;
    late = kept.reduce(evolveLate, late);
    lateMoney = [
      ...lateMoney,
      ...kept.flatMap((each) => (each.type === 'LateMoneyReceived' ? [each.data.leg.amount] : [])),
    ];
  }
  if (state.phase !== 'admitted') throw new Error('it was admitted');
  return { status: state.status, money: sum([...state.legs.map((leg) => leg.amount), ...lateMoney]) };
}

/** The same order for the same seed. */
function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  let state = seed + 1;
  const next = () => (state = (state * 48_271) % 2_147_483_647);
  return items
    .map((item) => ({ item, at: next() }))
    .toSorted((left, right) => left.at - right.at)
    .map(({ item }) => item);
}
