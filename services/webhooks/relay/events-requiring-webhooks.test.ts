import { describe, expect, it } from 'vitest';
import { terminalStatuses } from '#shared/domain/operation/events.ts';
import { mayOweWebhook, neverOwing } from './events-requiring-webhooks.ts';

describe('an event may require a webhook', () => {
  it('if it is a terminal status, or makes the operation await a confirmation', () => {
    const data = {};
    expect(Object.keys(terminalStatuses).filter((type) => !mayOweWebhook({ type, data }))).toEqual(
      [],
    );
    const accepted = (confirmation_required: boolean) => ({
      type: 'AttemptAccepted',
      data: { confirmation_required },
    });
    expect(mayOweWebhook(accepted(true))).toBe(true);
    expect(mayOweWebhook(accepted(false))).toBe(false);
    expect(mayOweWebhook({ type: 'AttemptStarted', data })).toBe(false);
  });

  it('if money was returned, unless an older version recorded that without its total', () => {
    const returned = (data: object) => mayOweWebhook({ type: 'MoneyReturned', data });
    expect(returned({ total: '60.00' })).toBe(true);
    expect(returned({ amount: '60.00' })).toBe(false);
  });

  it('if this version does not know its type: the fold decides', () => {
    expect(mayOweWebhook({ type: 'FromTheFuture', data: {} })).toBe(true);
    expect(mayOweWebhook({ type: 'toString', data: {} })).toBe(true);
  });
});

it('no event type that subscriptions exclude requires a webhook, except that of ledger entries', () => {
  const data = { confirmation_required: true, decision: 'ask_again' };
  const owing = neverOwing.filter(
    (type) => type !== 'EntryPosted' && mayOweWebhook({ type, data }),
  );
  expect(owing).toEqual([]);
  expect(neverOwing).toContain('OperationAdmitted');
});
