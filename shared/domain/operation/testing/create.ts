import type { Route } from '../../routing.ts';
import type { CreateOperation } from '../admission/admit.ts';

// Does not import the test runner: loads and measurements use these too.

/** A route for card payments at 2.50 %, with this change. */
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

/** A create of a payment of 100.00, with this change. */
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
