import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sum } from '../money.ts';
import type { Leg, OperationEvent } from '../operation/events.ts';
import { isTerminal, type Operation, type OperationState } from '../operation/state.ts';
import { accepted, admitted, route, started } from '../operation/testing/given.ts';
import { histories } from '../operation/testing/histories.ts';
import { closeOperationByHand } from '../operation/ends/close-by-hand.ts';
import { decideReview } from '../operation/receipt/operator-review.ts';
import { fold } from '../operation/evolve.ts';
import { applyReport } from '../operation/reports/apply-report.ts';
import type { ProviderReport } from '../operation/reports/report.ts';
import { evidenceInLegs, legsToShow, materialise, type ShownItem } from './materialise.ts';

const time = '2026-01-31T12:00:00.000Z';
const uuid = '0f9f2f64-7d3e-4a53-9f0c-3f3f3f3f3f3f';
const leg = (leg_id: string, amount: string, change: Partial<Leg> = {}): Leg => ({
  leg_id,
  amount,
  completed_at: time,
  file: true,
  ...change,
});
const shown = (leg_id: string, amount: string, change: Partial<ShownItem> = {}): ShownItem => ({
  leg_id,
  amount,
  completed_at: time,
  file: true,
  synthetic: false,
  ...change,
});
const operationWith = (...legs: Leg[]) =>
  ({
    operationId: 'operation-1',
    shopId: 'shop-1',
    accepted: { attempt: 2 },
    attempts: [{ attempt: 2, route: { provider: 'sandbox' } }],
    legs,
  }) as unknown as Operation;
const uuidOf = (text: string) => `uuid of ${text}`;
const whileWaiting = { uuidOf, awaits: () => true };
const afterWaiting = { uuidOf, awaits: () => false };
const evidenceOf = (legs: Leg[], items: ShownItem[], when = whileWaiting) =>
  materialise(operationWith(...legs), items, when);

describe('evidence', () => {
  it('is complete if the provider shows each leg', () => {
    expect(
      evidenceOf(
        [leg(uuid.toUpperCase(), '60.00'), leg('leg-2', '40.00')],
        [shown('leg-2', '40.00', { file: false }), shown(uuid.toUpperCase(), '60.00')],
      ),
    ).toEqual({
      operation_id: 'operation-1',
      shop_id: 'shop-1',
      status: 'complete',
      items: [
        {
          receipt_id: uuid,
          leg_id: uuid.toUpperCase(),
          attempt: 2,
          provider: 'sandbox',
          amount: '60.00',
          completed_at: time,
          file: true,
          synthetic: false,
        },
        {
          receipt_id: 'uuid of ["operation-1","leg-2",1]',
          leg_id: 'leg-2',
          attempt: 2,
          provider: 'sandbox',
          amount: '40.00',
          completed_at: time,
          file: false,
          synthetic: false,
        },
      ],
    });
  });

  it('is partial if the provider or an operator gave only an amount (R10.5)', () => {
    const some = evidenceOf([leg(uuid, '60.00')], [shown(uuid, '60.00', { synthetic: true })]);
    expect(some).toMatchObject({ status: 'partial', items: [{ file: false, synthetic: true }] });
    const approved = operationWith(
      leg('a', '60.00'),
      leg('b', '40.00', { synthetic: true, file: false }),
    );
    expect(legsToShow(approved).map(({ leg_id }) => leg_id)).toEqual(['a']);
    expect(materialise(approved, [shown('a', '60.00')], whileWaiting)).toMatchObject({
      status: 'partial',
      items: [
        { leg_id: 'a', synthetic: false },
        { leg_id: 'b', amount: '40.00', synthetic: true, file: false },
      ],
    });
  });

  it('may have several items for a leg, each with its own id', () => {
    const evidence = evidenceOf([leg(uuid, '60.00')], [shown(uuid, '20.00'), shown(uuid, '40.00')]);
    expect(evidence?.items.map(({ amount }) => amount)).toEqual(['20.00', '40.00']);
    expect(new Set(evidence?.items.map(({ receipt_id }) => receipt_id)).size).toBe(2);
  });

  it('omits late money', () => {
    const evidence = evidenceOf(
      [leg(uuid, '60.00')],
      [shown(uuid, '60.00'), shown('late', '5.00')],
    );
    expect(evidence).toMatchObject({ status: 'complete', items: [{ amount: '60.00' }] });
  });

  it.each([
    ['does not show yet', []],
    ['shows under another id', [shown('other', '60.00')]],
  ])('waits for a limited time for a leg that the provider %s', (_, items) => {
    expect(evidenceOf([leg(uuid, '60.00')], items)).toBeUndefined();
    expect(evidenceOf([leg(uuid, '60.00')], items, afterWaiting)).toMatchObject({
      status: 'partial',
      items: [{ leg_id: uuid, amount: '60.00', synthetic: true, file: false }],
    });
  });

  it.each([
    ['less', [shown(uuid, '6.00')]],
    ['more', [shown(uuid, '60.00'), shown(uuid, '0.01')]],
  ])('has only the amount of a leg that the provider shows with %s', (_, items) => {
    expect(evidenceOf([leg(uuid, '60.00')], items)).toMatchObject({
      status: 'partial',
      items: [{ leg_id: uuid, amount: '60.00', synthetic: true, file: false }],
    });
  });

  it('omits a leg that the provider removed', () => {
    expect(
      evidenceOf([leg(uuid, '60.00'), leg('b', '0.00')], [shown(uuid, '60.00')]),
    ).toMatchObject({ status: 'complete', items: [{ leg_id: uuid }] });
  });
});

describe('evidence in legs', () => {
  const whole = { attempt: 1, status: 'completed', evidence: 'legs' } as const;
  const begun = fold([admitted(), started(), accepted()]);
  const after = (...reports: Partial<ProviderReport>[]): Operation => {
    const end = reports.reduce(
      (state: OperationState, report) =>
        fold(applyReport(state, { ...whole, legs: [], ...report }).events, state),
      begun,
    );
    if (end.phase !== 'admitted') throw new Error('not admitted');
    return end;
  };
  const [first, second] = [leg('a', '60.00'), leg('b', '40.00', { file: false })];
  const parts = { status: 'open' } as const;
  const fromLegs = (operation: Operation) => evidenceInLegs(operation, uuidOf);

  const cases: [what: string, reports: Partial<ProviderReport>[], amounts: string[] | undefined][] =
    [
      ['reported at once', [{ legs: [first, second] }], ['60.00', '40.00']],
      [
        'reported one by one',
        [{ ...parts, legs: [first] }, { legs: [first, second] }],
        ['60.00', '40.00'],
      ],
      ['of a partial completion', [{ status: 'partially_completed', legs: [first] }], ['60.00']],
      ['of an expiry with money', [{ status: 'expired', legs: [first] }], ['60.00']],
      [
        'with a report before the end that is not evidence',
        [{ ...parts, evidence: undefined, legs: [first] }, { legs: [first, second] }],
        ['60.00', '40.00'],
      ],
      [
        'that were corrected',
        [
          { ...parts, version: 1, legs: [first] },
          { version: 2, legs: [{ ...first, amount: '6.00' }] },
        ],
        ['6.00'],
      ],
      [
        'one of which was removed by a correction',
        [
          { ...parts, version: 1, legs: [first] },
          { version: 2, legs: [second] },
        ],
        ['40.00'],
      ],
      [
        'in a terminal report that is not evidence',
        [{ evidence: undefined, legs: [first, second] }],
        undefined,
      ],
      [
        'with evidence only before the terminal report',
        [
          { ...parts, legs: [first] },
          { evidence: undefined, legs: [first, second] },
        ],
        undefined,
      ],
      [
        'missing from the terminal report without a version',
        [{ ...parts, legs: [first] }, { legs: [second] }],
        undefined,
      ],
      [
        'with another amount without a version',
        [{ ...parts, legs: [first] }, { legs: [{ ...first, amount: '6.00' }] }],
        undefined,
      ],
      [
        'with a file added afterwards',
        [{ ...parts, legs: [second] }, { legs: [{ ...second, file: true }] }],
        undefined,
      ],
      [
        'with a changed time',
        [
          { ...parts, legs: [first] },
          { legs: [{ ...first, completed_at: '2026-01-31T12:00:01.000Z' }] },
        ],
        undefined,
      ],
      ['one of which is reported twice', [{ legs: [first, first, second] }], undefined],
    ];

  it.each(cases)('is complete, or absent, for legs %s', (_, reports, amounts) => {
    const operation = after(...reports);
    expect(operation.settled?.recorded_amount).toBeDefined();
    expect(operation.evidence).toBe(amounts && 'legs');
    const evidence = fromLegs(operation);
    expect(evidence?.items.map(({ amount }) => amount)).toEqual(amounts);
    if (!evidence) return;
    expect(evidence).toMatchObject({ shop_id: 'shop-1', status: 'complete' });
    // The items that a poll of the provider would have returned.
    const items = legsToShow(operation).map((each) => ({ ...each, synthetic: false }));
    const ids = ({ receipt_id: _id, ...item }: { receipt_id: string }) => item;
    expect(materialise(operation, items, whileWaiting)?.items.map(ids)).toEqual(
      evidence.items.map(ids),
    );
  });

  it('omits late money', () => {
    const operation = after(
      { legs: [first, second] },
      { legs: [first, second, leg('late', '5.00')] },
    );
    expect(fromLegs(operation)?.items.map(({ leg_id }) => leg_id)).toEqual(['a', 'b']);
  });

  it('gives each leg its own id, even if two differ only in case', () => {
    const upper = leg(uuid.toUpperCase(), '50.00');
    const operation = after({ legs: [leg(uuid, '50.00'), upper] });
    expect(fromLegs(operation)?.items.map(({ receipt_id }) => receipt_id)).toEqual([
      uuid,
      `uuid of ["${operation.operationId}","${upper.leg_id}"]`,
    ]);
  });

  const approved = {
    decision: 'approve',
    mayExceed: false,
    note: '',
    legId: 'o',
    nowIso: time,
  } as const;
  const checked = (...before: OperationEvent[]) =>
    fold([
      admitted(),
      started(1, route({ requires_receipt: true })),
      accepted(1, { confirmation_required: true }),
      ...before,
      { type: 'ReceiptUploaded', data: { receipt_id: 'r', sha256: 's', size_bytes: 1, pdf: true } },
      { type: 'ManualCheckStarted', data: { receipt_id: 'r' } },
    ]);

  it.each([
    [
      'is partial without a leg of the provider',
      [],
      '100.00',
      [{ leg_id: 'o', synthetic: true, file: false }],
    ],
    ['is absent with a leg of the provider', [first], '100.00', undefined],
    ['is absent if it adds no money', [first], '60.00', undefined],
  ] as const)('after an operator’s approval %s', (_, legs, actualAmount, items) => {
    const state = checked(
      ...legs.map((each) => ({ type: 'LegReceived', data: { attempt: 1, leg: each } }) as const),
    );
    const decided = decideReview(state, { ...approved, actualAmount });
    if ('refusal' in decided) throw new Error(decided.refusal.code);
    const operation = fold(decided.events, state) as Operation;
    expect(operation.settled?.actual_amount).toBe(actualAmount);
    const actual = fromLegs(operation)?.items.map(({ leg_id, synthetic, file }) => ({
      leg_id,
      synthetic,
      file,
    }));
    expect(actual).toEqual(items);
    expect(fromLegs(operation)?.status).toBe(items && 'partial');
  });

  it('is absent after a manual close: the provider has to be polled', () => {
    const state = after({ ...parts, legs: [first] });
    const closed = closeOperationByHand(state, { note: '', nowIso: '2036-01-31T12:00:00.000Z' });
    if ('refusal' in closed) throw new Error(closed.refusal.code);
    const operation = fold(closed.events, state) as Operation;
    expect(operation.status).toBe('partially_completed');
    expect(fromLegs(operation)).toBeUndefined();
  });

  it('has the counted amounts in any history', () => {
    let checkedCount = 0;
    fc.assert(
      fc.property(histories, ({ events }) => {
        const operation = fold(events);
        const evidence = operation.phase === 'admitted' && fromLegs(operation);
        if (!evidence || operation.phase !== 'admitted') return;
        checkedCount += 1;
        expect(isTerminal(operation.status)).toBe(true);
        expect(sum(evidence.items.map(({ amount }) => amount))).toBe(
          operation.settled?.actual_amount,
        );
        const ids = evidence.items.map(({ receipt_id: id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        const hasSynthetic = operation.legs.some(({ synthetic }) => synthetic);
        expect(evidence.status).toBe(hasSynthetic ? 'partial' : 'complete');
      }),
      { numRuns: 500, seed: 7 },
    );
    expect(checkedCount).toBeGreaterThan(10);
  });
});
