import { expect } from 'vitest';
import type { Route } from '../../routing.ts';
import type { CreateOperation } from '../admission/admit.ts';
import type { OperationEvent } from '../events.ts';
import { fold } from '../evolve.ts';
import type { OperationState } from '../state.ts';

/** `given(events).when(decision).thenEvents(events)`: a test that reads as the rule. */
export function given(...history: OperationEvent[]) {
  const state = fold(history);
  return {
    state,
    when: <Decision>(decide: (state: OperationState) => Decision) => {
      const decision = decide(state);
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

export const route = (change: Partial<Route> = {}): Route => ({
  type: 'payment',
  method: 'WT_RUB_C2C',
  currency: 'RUB',
  provider: 'sandbox',
  priority: 1,
  requires_receipt: false,
  commission: { percent: '2.50', fixed: '0.00' },
  ...change,
});

export const create = (change: Partial<CreateOperation> = {}): CreateOperation => ({
  operationId: '6f1d5b1e-0000-8000-8000-000000000001',
  shopId: 'shop-1',
  merchantId: 'merchant-1',
  type: 'payment',
  merchantOperationId: 'order-1',
  body: { rest: 'hash-1', whole: 'hash-1' },
  endpoint: '/v1/payment',
  apiVersion: 'v1',
  request: { client_id: 'client-1', method: 'WT_RUB_C2C', amount: '100.00', currency: 'RUB' },
  acceptUntil: '2026-01-31T12:00:15.000Z',
  routes: [route()],
  ...change,
});

export const admitted = (change: Partial<CreateOperation> = {}): OperationEvent => {
  const asked = create(change);
  const { operationId, shopId, merchantId, type, merchantOperationId, acceptUntil, request } = asked;
  const { whole: _, ...bodyHash } = asked.body;
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
      endpoint: asked.endpoint,
      api_version: asked.apiVersion,
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

export const noMoney = { actual_amount: '0.00', settlement_amount: '0.00', commission_amount: '0.00' };

export const leg = (id: string, amount: string) => ({
  leg_id: id,
  amount,
  completed_at: '2026-01-31T12:01:00.000Z',
  file: false,
});
