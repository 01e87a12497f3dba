import { maskNumber } from '#services/back-office/api/operations/mask.ts';
import { createDocument } from '#shared/api/openapi/document.ts';
import { parseCreateBody } from '#shared/application/create-body/body.ts';
import { readRequisites } from '#shared/application/create-body/destination.ts';
import { toVisiblePayment } from '#services/payment-page/visible-payment.ts';
import { awaiting, type AwaitingPayment } from '#services/payment-page/view/awaiting.ts';
import { requisitesFor } from '#services/sandbox-provider/attempt/requisites.ts';
import { admit, type CreateOperation } from '#shared/domain/operation/admission/admit.ts';
import { recordAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import { recordReservation } from '#shared/domain/operation/payout-funds/record.ts';
import { noOperation, type Operation } from '#shared/domain/operation/state.ts';
import { viewOperation } from '#shared/domain/operation/view.ts';
import { routeSchema } from '#shared/domain/routing.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { renderToText } from '#shared/platform/pages/html.ts';

/**
 * Runs a payment and a payout of the named method through the product's own code, and prints each
 * part's result as JSON.
 */

const method = process.argv[2] ?? '';
const body = {
  merchant_operation_id: 'order-1',
  client_id: 'client-1',
  method,
  amount: '100.00',
  currency: 'USD',
};
const destination = { number: '4111 1111 1111 1234', bankname: 'firstbank' };

function refusals(given: object): string[] {
  try {
    parseCreateBody('payout', given);
    return [];
  } catch (error) {
    if (error instanceof Problem) return (error.errors ?? []).map(({ code }) => code);
    throw error;
  }
}

/** An operation that its provider has accepted. */
function acceptedOperation(type: 'payment' | 'payout'): Operation {
  const route = routeSchema.parse({
    type,
    method,
    currency: 'USD',
    provider: 'sandbox',
    commission: { percent: '1.00' },
  });
  const now = { routes: [route], timeIsUp: false };
  const parsed = parseCreateBody(type, { ...body, ...(type === 'payout' && destination) });
  const create: CreateOperation = {
    operationId: 'operation-1',
    shopId: 'shop-1',
    merchantId: 'merchant-1',
    type,
    merchantOperationId: body.merchant_operation_id,
    body: { rest: '', whole: '' },
    endpoint: `/v1/${type}`,
    apiVersion: 'v1',
    request: {
      client_id: parsed.client_id,
      method,
      amount: parsed.amount,
      currency: parsed.currency,
      ...(type === 'payout' && { destination: readRequisites(parsed) }),
    },
    acceptUntil: '2026-01-31T12:00:15.000Z',
    routes: [route],
  };
  const requisites = requisitesFor('key', method);
  const answer = { outcome: 'accepted', providerReference: 'ref', requisites } as const;
  let state = fold(expectEvents(admit(noOperation, create)));
  if (type === 'payout')
    state = fold(
      expectEvents(recordReservation(state, { ...now, attempt: 1, answer: 'reserved' })),
      state,
    );
  return fold(
    expectEvents(recordAnswer(state, { ...now, attempt: 1, answer })),
    state,
  ) as Operation;
}

function expectEvents(
  decision: { events: OperationEvent[] } | { refusal: object },
): OperationEvent[] {
  if ('events' in decision) return decision.events;
  throw new Error(JSON.stringify(decision.refusal));
}

const payment = acceptedOperation('payment');
const page = (language: 'ru' | 'en') =>
  renderToText(
    awaiting(language, toVisiblePayment(payment, 0) as AwaitingPayment, {
      action: '/pay',
      url: 'http://localhost/pay',
      nowMs: 0,
      follow: false,
      shop: {},
    }),
  );

process.stdout.write(
  JSON.stringify({
    refused: {
      currency: refusals({ ...body, ...destination, currency: 'RUB' }),
      number: refusals({ ...body, ...destination, number: '123' }),
      bank: refusals({ ...body, number: destination.number }),
      none: refusals({ ...body, ...destination }),
    },
    payout: viewOperation(acceptedOperation('payout')),
    payment: viewOperation(payment),
    operator: maskNumber('4111111111111234', method),
    page: { ru: page('ru'), en: page('en') },
    document: createDocument(),
  }),
);
