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

/** As the console and the API show one operation, and as the list shows it. */
function shown(events: OperationEvent[]) {
  const stored = storedEvents('operation-1', events);
  const row = stored.reduce<OperationRow | undefined>(projectOperation, undefined);
  if (!row) throw new Error('no row');
  return { one: showOperation(stored) as Record<string, unknown>, listed: viewForOperators(row) };
}

describe('an operation as operators see it', () => {
  test('has the number of a payout’s card as its merchant sees it, masked once', () => {
    const events = payoutTo({ number: '4276381234565678', name: 'ИВАН И.' }, 'WT_RUB_C2C');
    const state = fold(events);
    const merchants = state.phase === 'admitted' ? viewOperation(state)?.number : undefined;
    expect(merchants).toBe('427638******5678');
    expect(shown(events).one['number']).toBe(merchants);
  });

  test('has the last four digits of a phone’s number, and its bank in the list as well', () => {
    const { one, listed } = shown(payoutTo({ number: '375291234567', ...bank }, 'WT_RUB_PHONE'));
    expect(one).toMatchObject({ number: '********4567', ...bank });
    expect(listed).toMatchObject(bank);
  });

  test('has no bank once a payment was cancelled, as its merchant is shown none', () => {
    const life = [admitted(), started(), accepted()];
    expect(shown(life).listed).toMatchObject(bank);
    const end: OperationEvent = { type: 'OperationCancelled', data: { ...noMoney, reason: 'x' } };
    const { one, listed } = shown([...life, end]);
    expect(listed).not.toHaveProperty('bankname');
    expect(JSON.parse(JSON.stringify(one))).not.toHaveProperty('bankname');
  });
});
