import { describe, expect, it } from 'vitest';
import type { Leg } from '../operation/events.ts';
import type { Operation } from '../operation/state.ts';
import { legsToShow, materialise, type ShownItem } from './materialise.ts';

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
const soon = { uuidOf, awaits: () => true };
const later = { uuidOf, awaits: () => false };
const evidenceOf = (legs: Leg[], items: ShownItem[], when = soon) =>
  materialise(operationWith(...legs), items, when);

describe('evidence', () => {
  it('is complete where the provider shows each leg', () => {
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

  it('is partial where an item is known by its amount alone, the provider’s or an operator’s', () => {
    const some = evidenceOf([leg(uuid, '60.00')], [shown(uuid, '60.00', { synthetic: true })]);
    expect(some).toMatchObject({ status: 'partial', items: [{ file: false, synthetic: true }] });
    const approved = operationWith(leg('a', '60.00'), leg('b', '40.00', { synthetic: true, file: false }));
    expect(legsToShow(approved).map(({ leg_id }) => leg_id)).toEqual(['a']);
    expect(materialise(approved, [shown('a', '60.00')], soon)).toMatchObject({
      status: 'partial',
      items: [
        { leg_id: 'a', synthetic: false },
        { leg_id: 'b', amount: '40.00', synthetic: true, file: false },
      ],
    });
  });

  it('may have several items for a leg, each with an id of its own', () => {
    const evidence = evidenceOf([leg(uuid, '60.00')], [shown(uuid, '20.00'), shown(uuid, '40.00')]);
    expect(evidence?.items.map(({ amount }) => amount)).toEqual(['20.00', '40.00']);
    expect(new Set(evidence?.items.map(({ receipt_id }) => receipt_id)).size).toBe(2);
  });

  it('leaves out what is not the operation’s: money that came late', () => {
    const evidence = evidenceOf([leg(uuid, '60.00')], [shown(uuid, '60.00'), shown('late', '5.00')]);
    expect(evidence).toMatchObject({ status: 'complete', items: [{ amount: '60.00' }] });
  });

  it.each([
    ['shows nothing', []],
    ['shows it under another id', [shown('other', '60.00')]],
  ])('waits for a leg of which the provider %s yet, and not for ever', (_, items) => {
    expect(evidenceOf([leg(uuid, '60.00')], items)).toBeUndefined();
    expect(evidenceOf([leg(uuid, '60.00')], items, later)).toMatchObject({
      status: 'partial',
      items: [{ leg_id: uuid, amount: '60.00', synthetic: true, file: false }],
    });
  });

  it.each([
    ['less', [shown(uuid, '6.00')]],
    ['more', [shown(uuid, '60.00'), shown(uuid, '0.01')]],
  ])('of a leg that the provider shows with %s is its own amount alone', (_, items) => {
    expect(evidenceOf([leg(uuid, '60.00')], items)).toMatchObject({
      status: 'partial',
      items: [{ leg_id: uuid, amount: '60.00', synthetic: true, file: false }],
    });
  });

  it('has nothing of a leg that the provider took back', () => {
    expect(evidenceOf([leg(uuid, '60.00'), leg('b', '0.00')], [shown(uuid, '60.00')])).toMatchObject({
      status: 'complete',
      items: [{ leg_id: uuid }],
    });
  });
});
