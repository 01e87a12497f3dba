import { expect } from 'vitest';
import type { Route } from '../../routing.ts';
import type { CreateOperation } from '../admission/admit.ts';
import type { OperationEvent } from '../events.ts';
import { fold } from '../evolve.ts';
import type { OperationState } from '../state.ts';
import { create, route } from './create.ts';

export { create, route };

/** `given(events).when(decision, command).thenEvents(events)`: a test that reads as the rule. */
export function given(...history: OperationEvent[]) {
  const state = fold(history);
  return {
    state,
    when: <Args extends unknown[], Decision>(
      decide: (state: OperationState, ...args: Args) => Decision,
      ...args: Args
    ) => {
      const decision = decide(state, ...args);
      return {
        thenEvents: (...events: OperationEvent[]) => {
          expect(decision).toMatchObject({ events });
          return given(...history, ...events);
        },
        thenNothing: () => expect(decision).toMatchObject({ events: [] }),
        thenRefused: (code: string) => expect(decision).toEqual({ refusal: { code } }),
      };
    },
  };
}

export const admitted = (change: Partial<CreateOperation> = {}): OperationEvent => {
  const command = create(change);
  const { operationId, shopId, merchantId, type, merchantOperationId, acceptUntil, request } =
    command;
  const { whole: _, ...bodyHash } = command.body;
  return {
    type: 'OperationAdmitted',
    data: {
      operation_id: operationId,
      shop_id: shopId,
      merchant_id: merchantId,
      type,
      merchant_operation_id: merchantOperationId,
      body_hash: bodyHash,
      request,
      accept_until: acceptUntil,
      endpoint: command.endpoint,
      api_version: command.apiVersion,
    },
  };
};

export const started = (attempt = 1, by: Route = route()): OperationEvent => ({
  type: 'AttemptStarted',
  data: { attempt, route: by },
});

export const accepted = (attempt = 1, more: object = {}): OperationEvent => ({
  type: 'AttemptAccepted',
  data: {
    attempt,
    provider_reference: `ref-${attempt}`,
    requisites: {
      number: '2200123456789012',
      name: 'IVAN I',
      bankname: 'sberbank',
      bankname_details: 'Сбербанк',
    },
    confirmation_required: false,
    ...more,
  },
});

export const noMoney = {
  actual_amount: '0.00',
  settlement_amount: '0.00',
  commission_amount: '0.00',
};

/** The figures of an operation with this much money, in the currency of the ledger. */
export const paid = (amount: string, commission: string, settlement: string) => ({
  actual_amount: amount,
  recorded_amount: amount,
  commission_amount: commission,
  settlement_amount: settlement,
});

export const cancelled: OperationEvent = {
  type: 'OperationCancelled',
  data: { ...noMoney, reason: 'cancel' },
};

export const leg = (id: string, amount: string) => ({
  leg_id: id,
  amount,
  completed_at: '2026-01-31T12:01:00.000Z',
  file: false,
});
