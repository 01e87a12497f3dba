import { describe, expect, it } from 'vitest';
import { operationEventSchemas, type OperationEvent } from '../events.ts';
import type { Operation } from '../state.ts';
import { createRefusal, declineReasons, declineReasonTable } from './decline-reason.ts';
import { accepted, admitted, given, noMoney, started } from '../testing/given.ts';
import { viewOperation } from '../view.ts';

const view = (...events: OperationEvent[]) => viewOperation(given(...events).state as Operation);

describe('decline reason (R5.15)', () => {
  it.each([
    ['no_route', 'no_route'],
    ['routes_skipped', 'provider_unavailable'],
    ['routes_full', 'routes_full'],
    ['all_refused', 'provider_refused'],
    ['acceptance_timeout', 'acceptance_timeout'],
    ['provider_error', 'provider_unavailable'],
    ['insufficient_funds', 'insufficient_funds'],
    ['provider', 'provider_declined'],
    ['review', 'receipt_rejected'],
    ['close', 'closed_by_operator'],
  ] as const)('shows %s as %s, and is absent from an open operation (R5.15)', (cause, reason) => {
    const declined: OperationEvent = {
      type: 'OperationDeclined',
      data: { ...noMoney, reason: cause },
    };
    const open = [admitted(), started(), accepted()];
    expect(view(...open, declined)).toMatchObject({ decline_reason: reason });
    expect(view(...open)).not.toHaveProperty('decline_reason');
  });

  it('has one reason for each cause of the event', () => {
    const causes = declineReasons.flatMap((reason) =>
      Object.keys(declineReasonTable[reason].causes),
    );
    const { options } = operationEventSchemas.OperationDeclined.shape.reason;
    expect(causes.toSorted()).toEqual([...options].toSorted());
  });

  it('refuses a create for what happened before any provider accepted (R7.3, R12.10)', () => {
    expect(createRefusal('routes_full')).toMatchObject({ code: 'provider_not_accepted' });
    expect(createRefusal('insufficient_funds')).toMatchObject({ code: 'insufficient_funds' });
    expect(createRefusal('review')).toBeUndefined();
  });
});
