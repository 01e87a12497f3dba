import { describe, expect, test } from 'vitest';
import { storedEvents } from '#projections/testing/stored-events.ts';
import type { OperationEvent, Requisites } from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import {
  accepted,
  admitted,
  create,
  noMoney,
  route,
  started,
} from '#shared/domain/operation/testing/given.ts';
import type { Method } from '#shared/domain/methods/index.ts';
import { viewOperation } from '#shared/domain/operation/view.ts';
import { projectOperation } from '#projections/operations/project.ts';
import type { OperationRow } from '#projections/operations/table.ts';
import { showOperation } from './read.ts';
import { viewForOperators } from './view.ts';

const bank = { bankname: 'sberbank', bankname_details: 'Сбербанк' };

function payoutTo(destination: Requisites, method: Method): OperationEvent[] {
  const request = { ...create().request, method, destination };
  return [
    admitted({ type: 'payout', request }),
    started(1, route({ type: 'payout', method })),
    accepted(1, { requisites: undefined }),
  ];
}

/** An operation as the console and the API show it, and as a row of the list. */
function shown(events: OperationEvent[]) {
  const stored = storedEvents('operation-1', events);
  const row = stored.reduce<OperationRow | undefined>(projectOperation, undefined);
  if (!row) throw new Error('no row');
  return {
    detail: showOperation(stored) as Record<string, unknown>,
    listed: viewForOperators(row),
  };
}

describe('the operation view for operators', () => {
  test('masks a payout’s card number once, as it is shown to its merchant', () => {
    const events = payoutTo({ number: '4276381234565678', name: 'ИВАН И.' }, 'WT_RUB_C2C');
    const state = fold(events);
    const merchants = state.phase === 'admitted' ? viewOperation(state)?.number : undefined;
    expect(merchants).toBe('427638******5678');
    expect(shown(events).detail['number']).toBe(merchants);
  });

  test('shows the last four digits of a phone number, and the bank in the list too', () => {
    const { detail, listed } = shown(payoutTo({ number: '375291234567', ...bank }, 'WT_RUB_PHONE'));
    expect(detail).toMatchObject({ number: '********4567', ...bank });
    expect(listed).toMatchObject(bank);
  });

  test('shows no bank after a payment was cancelled', () => {
    const history = [admitted(), started(), accepted()];
    expect(shown(history).listed).toMatchObject(bank);
    const end: OperationEvent = { type: 'OperationCancelled', data: { ...noMoney, reason: 'x' } };
    const { detail, listed } = shown([...history, end]);
    expect(listed).not.toHaveProperty('bankname');
    expect(JSON.parse(JSON.stringify(detail))).not.toHaveProperty('bankname');
  });
});
