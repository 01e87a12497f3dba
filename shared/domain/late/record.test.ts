import { expect, test } from 'vitest';
import { fold } from '../operation/evolve.ts';
import type { Operation } from '../operation/state.ts';
import type { LateFact } from '../operation/reports/late-facts.ts';
import { admitted, noMoney } from '../operation/testing/given.ts';
import { asStored } from '../testing/as-stored.ts';
import { decodeLateEvent } from './events.ts';
import { acknowledge } from './acknowledge.ts';
import { evolveLate, recordLate } from './record.ts';
import { nothingLate, type LateState } from './state.ts';

const operation = fold([
  admitted(),
  { type: 'OperationDeclined', data: { ...noMoney, reason: 'no_route' } },
]) as Operation;

const money = (legId: string): LateFact => ({
  kind: 'late_money',
  leg: { leg_id: legId, amount: '10.00', completed_at: '2026-01-31T13:00:00.000Z', file: false },
});
const status = (reported: 'completed' | 'expired'): LateFact => ({
  kind: 'late_status',
  status: reported,
});

const record = (state: LateState, facts: LateFact[], attempt = 1) =>
  recordLate(state, {
    operation,
    report: {
      attempt,
      status: 'open',
      legs: facts.flatMap((fact) => (fact.kind === 'late_money' ? [fact.leg] : [])),
    },
    facts,
  }).events;
const after = (facts: LateFact[], attempt = 1) =>
  record(nothingLate, facts, attempt).reduce(evolveLate, nothingLate);

test('late money is recorded with its currency and leg, and can be decoded', () => {
  const [event] = record(nothingLate, [money('leg-1')]);
  expect(event).toMatchObject({
    type: 'LateMoneyReceived',
    data: {
      operation_id: operation.operationId,
      shop_id: 'shop-1',
      attempt: 1,
      currency: 'RUB',
      leg: { leg_id: 'leg-1' },
    },
  });
  expect(event && decodeLateEvent(asStored(event))).toEqual(event);
});

test('a contradicting status is recorded with the current status (R13.9)', () => {
  expect(record(nothingLate, [status('completed')])).toMatchObject([
    {
      type: 'LateStatusReported',
      data: { reported_status: 'completed', operation_status: 'declined' },
    },
  ]);
});

test('a repeated leg or status adds nothing; another one adds a fact', () => {
  const state = after([money('leg-1'), status('completed')]);
  expect(state.revision).toBe(1);
  expect(record(state, [money('leg-1'), status('completed')])).toEqual([]);
  expect(record(state, [money('leg-2'), status('expired')])).toHaveLength(2);
  expect(record(state, [status('completed')], 2)).toHaveLength(1);
});

test('a contradicting terminal status is acknowledged once, with one note', () => {
  const command = { operationId: 'o', shopId: 's', entryId: 'e', note: 'seen' };
  const state = after([status('completed')]);
  const first = acknowledge(state, command);
  expect(first).toMatchObject({
    events: [{ type: 'LateStatusAcknowledged', data: { entry_id: 'e' } }],
  });
  const acknowledged = 'events' in first ? first.events.reduce(evolveLate, state) : state;
  expect(acknowledged.revision).toBe(1);
  expect(acknowledge(acknowledged, command)).toEqual({ events: [] });
  expect(acknowledge(acknowledged, { ...command, note: 'other' })).toEqual({
    refusal: 'resolution_conflict',
  });
  expect(acknowledge(acknowledged, { ...command, entryId: 'f' })).toHaveProperty('events.0');
  // A repeated report adds nothing.
  expect(record(acknowledged, [status('completed')])).toEqual([]);
});

test('an unknown late event is rejected', () => {
  expect(() => decodeLateEvent(asStored({ type: 'Other', data: {} }))).toThrow(
    'unknown late event Other',
  );
});

test('a leg corrected after the end goes to suspense once, by its difference (R13.19)', () => {
  const leg = {
    leg_id: 'a',
    amount: '60.00',
    completed_at: '2026-01-31T12:00:00.000Z',
    file: false,
  };
  const ended = {
    ...operation,
    accepted: { attempt: 1, confirmationRequired: false },
    legs: [leg],
    reportVersion: 2,
  } as Operation;
  let state = nothingLate;
  const factsOf = (version: number, ...legs: (typeof leg)[]) => {
    const facts = legs
      .filter(({ leg_id: id }) => id !== 'a')
      .map((each): LateFact => ({ kind: 'late_money', leg: each }));
    const report = { attempt: 1, version, status: 'open', legs } as const;
    const { events } = recordLate(state, { operation: ended, report, facts });
    state = events.reduce(evolveLate, state);
    return events.map(({ type, data }) =>
      type === 'DifferenceReported'
        ? [data.corrects, data.counted_amount, data.reported_amount, data.leg.amount]
        : [type, 'leg' in data && data.leg.amount],
    );
  };
  expect(factsOf(2, leg)).toEqual([]);
  expect(factsOf(3, { ...leg, amount: '6.00' })).toEqual([['a', '60.00', '6.00', '-54.00']]);
  expect(factsOf(3, { ...leg, amount: '6.00' })).toEqual([]);
  // A report with an older version is ignored.
  expect(factsOf(2, leg)).toEqual([]);
  const late = { ...leg, leg_id: 'toString', amount: '5.00' };
  expect(factsOf(4, { ...leg, amount: '6.00' }, late)).toEqual([['LateMoneyReceived', '5.00']]);
  expect(factsOf(5, late)).toEqual([['a', '6.00', '0.00', '-6.00']]);
  expect(factsOf(6, leg)).toEqual([
    ['a', '0.00', '60.00', '60.00'],
    ['toString', '5.00', '0.00', '-5.00'],
  ]);
  expect(factsOf(5, late)).toEqual([]);
});

test('an older report applies after an empty newer one, until that one is repeated', () => {
  const at = (state: LateState, version: number, facts: LateFact[]) => {
    const legs = facts.flatMap((fact) => (fact.kind === 'late_money' ? [fact.leg] : []));
    const report = { attempt: 1, version, status: 'open', legs } as const;
    return recordLate(state, { operation, report, facts }).events;
  };
  expect(at(nothingLate, 3, [])).toEqual([]);
  const older = at(nothingLate, 2, [money('leg-1')]);
  expect(older).toMatchObject([{ type: 'LateMoneyReceived', data: { report_version: 2 } }]);
  const state = older.reduce(evolveLate, nothingLate);
  expect(at(state, 3, [])).toMatchObject([
    {
      type: 'DifferenceReported',
      data: { corrects: 'leg-1', reported_amount: '0.00', report_version: 3 },
    },
  ]);
});

test('a poll from before the end removes nothing of unnumbered reports (R13.19)', () => {
  const [leg, back] = [money('leg-1'), { leg_id: 'back-1', of_leg_id: 'leg-1', amount: '10.00' }];
  const { leg: lateLeg } = leg as Extract<LateFact, { kind: 'late_money' }>;
  const returned = { ...back, completed_at: lateLeg.completed_at };
  const facts: LateFact[] = [leg, { kind: 'late_return', returned, amount: '10.00' }];
  const report = { attempt: 1, status: 'open' as const, legs: [lateLeg], returns: [returned] };
  const poll = (state: LateState, version: number | undefined, beforeEnd: boolean) => {
    const input = { operation, report: { attempt: 1, status: 'open' as const, legs: [], version } };
    return recordLate(state, { ...input, facts: [], beforeEnd }).events.map(({ data }) => data);
  };
  const unnumbered = recordLate(nothingLate, { operation, report, facts }).events;
  const state = unnumbered.reduce(evolveLate, nothingLate);
  expect(Object.keys({ ...state.legs, ...state.returns })).toEqual(['leg-1', 'back-1']);
  expect(poll(state, 1, true)).toEqual([]);
  // A poll after the end may be newer. If all reports have numbers, the number decides.
  expect(poll(state, 1, false)).toMatchObject([{ corrects: 'leg-1' }, { corrects: 'back-1' }]);
  const numbered = recordLate(nothingLate, {
    operation,
    report: { ...report, version: 1 },
    facts,
  }).events;
  const numberedState = numbered.reduce(evolveLate, nothingLate);
  expect(poll(numberedState, 2, true)).toMatchObject([
    { corrects: 'leg-1' },
    { corrects: 'back-1' },
  ]);
});
