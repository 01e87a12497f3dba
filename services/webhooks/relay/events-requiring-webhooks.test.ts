import { describe, expect, it } from 'vitest';
import { terminalStatuses } from '#shared/domain/operation/events.ts';
import { evolve } from '#shared/domain/operation/evolve.ts';
import { noOperation, type OperationState } from '#shared/domain/operation/state.ts';
import { sampleHistories } from '#shared/domain/operation/testing/histories.ts';
import { mayRequireWebhook } from './events-requiring-webhooks.ts';

describe('an event may require a webhook', () => {
  it('if it is a terminal status, or makes the operation await a confirmation', () => {
    const data = {};
    expect(
      Object.keys(terminalStatuses).filter((type) => !mayRequireWebhook({ type, data })),
    ).toEqual([]);
    const accepted = (confirmation_required: boolean) => ({
      type: 'AttemptAccepted',
      data: { confirmation_required },
    });
    expect(mayRequireWebhook(accepted(true))).toBe(true);
    expect(mayRequireWebhook(accepted(false))).toBe(false);
    expect(mayRequireWebhook({ type: 'AttemptStarted', data })).toBe(false);
  });

  it('if money was returned, unless an older version recorded that without its total', () => {
    const returned = (data: object) => mayRequireWebhook({ type: 'MoneyReturned', data });
    expect(returned({ total: '60.00' })).toBe(true);
    expect(returned({ amount: '60.00' })).toBe(false);
  });

  it('if this version does not know its type: the fold decides', () => {
    expect(mayRequireWebhook({ type: 'FromTheFuture', data: {} })).toBe(true);
    expect(mayRequireWebhook({ type: 'toString', data: {} })).toBe(true);
  });
});

it('every event that adds a webhook to its operation may require one', () => {
  const webhooksOf = (state: OperationState) => (state.phase === 'admitted' ? state.webhooks : 0);
  const adding = new Set<string>();
  const missed = new Set<string>();
  for (const { events } of sampleHistories(300, 14)) {
    let state: OperationState = noOperation;
    for (const event of events) {
      const next = evolve(state, event);
      if (webhooksOf(next) > webhooksOf(state)) {
        adding.add(event.type);
        if (!mayRequireWebhook(event)) missed.add(event.type);
      }
      state = next;
    }
  }
  expect([...missed]).toEqual([]);
  expect([...adding]).toEqual(expect.arrayContaining(['AttemptAccepted', 'OperationCompleted']));
});
