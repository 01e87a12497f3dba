import {
  bankName,
  defaultRecipientName,
  exampleMethod,
  methodNames,
  methods,
  shownNumber,
  storedNumber,
  type Method,
} from '#shared/domain/methods/index.ts';

/** Examples of what the merchant API takes and answers; tests hold them to the schemas. */

const id = '0f8fad5b-d9cb-869f-a165-70867728950e';

const payment = {
  merchant_operation_id: 'order-1',
  client_id: 'client-1',
  client_ip: '203.0.113.7',
  method: exampleMethod,
  amount: '100.00',
  currency: 'RUB',
} as const;

/** One example for each method, under the name that the table has for it. */
const byMethod = <Value>(
  kind: 'payment' | 'payout',
  valueOf: (method: Method) => Value,
): Record<string, { summary: string; value: Value }> =>
  Object.fromEntries(
    methodNames.map((method) => {
      const { example } = methods[method];
      return [example.name, { summary: example[kind], value: valueOf(method) }];
    }),
  );

const terms = (method: Method) => ({ method, currency: methods[method].currency });

export const paymentBodies = byMethod('payment', (method) => ({ ...payment, ...terms(method) }));

export const payoutBodies = byMethod('payout', (method) => ({
  ...payment,
  ...terms(method),
  // Payments and payouts share their ids.
  merchant_operation_id: 'payout-1',
  ...methods[method].example.destination,
}));

const figures = {
  currency: 'RUB',
  settlement_amount: '97.50',
  settlement_currency: 'RUB',
  commission_amount: '2.50',
} as const;

export const exampleIds = {
  merchant_operation_id: payment.merchant_operation_id,
  client_id: payment.client_id,
  created_at: '2026-01-31T12:00:00.000Z',
};

export const pendingPayment = {
  operation_id: id,
  type: 'payment',
  status: 'pending',
  method: exampleMethod,
  expected_amount: '100.00',
  actual_amount: '0.00',
  ...figures,
  number: '2200123456789012',
  name: 'Иван И.',
  bankname: 'sberbank',
  bankname_details: 'Сбербанк',
  expires_at: '2026-01-31T12:15:00.000Z',
} as const;

export const awaitingConfirmation = {
  ...pendingPayment,
  status: 'awaiting_confirmation',
  external_confirmation: { required: true, methods: ['receipt'] },
} as const;

export const convertedPayment = {
  ...pendingPayment,
  fx_source: 'sandbox',
  fx_rate: '0.012500',
  settlement_amount: '1.22',
  settlement_currency: 'USD',
  commission_amount: '0.03',
} as const;

export const cancelledPayment = {
  operation_id: id,
  type: 'payment',
  status: 'cancelled',
  method: exampleMethod,
  expected_amount: '100.00',
  actual_amount: '0.00',
  currency: 'RUB',
  settlement_amount: '0.00',
  settlement_currency: 'RUB',
  commission_amount: '0.00',
} as const;

const pendingPayout = {
  operation_id: id,
  type: 'payout',
  status: 'pending',
  method: exampleMethod,
  expected_amount: '100.00',
  actual_amount: '0.00',
  ...figures,
  settlement_amount: '102.50',
} as const;

export const payoutAnswers = byMethod('payout', (method) => {
  const { number, bankname } = methods[method].example.destination;
  const details = bankname === undefined ? undefined : bankName(method, bankname);
  const { currency } = methods[method];
  return {
    ...pendingPayout,
    method,
    currency,
    settlement_currency: currency,
    number: shownNumber(method, storedNumber(method, number)),
    name: defaultRecipientName,
    ...(details !== undefined && { bankname, bankname_details: details }),
  };
});

/** The methods, each with one of its banks. */
export const listedMethods = methodNames.map((method) => {
  const { currency, destination, banks, example } = methods[method];
  const shown = Object.entries(banks).filter(([code]) => code === example.destination.bankname);
  return { method, currency, destination, banks: shown.map(([code, name]) => ({ code, name })) };
});

export const completedPayment = {
  ...pendingPayment,
  ...exampleIds,
  status: 'completed',
  actual_amount: '100.00',
  recorded_currency: 'RUB',
  recorded_amount: '100.00',
  receipt_evidence_status: 'complete',
  receipts: [
    {
      id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
      amount: 100,
      completed_at: '2026-01-31T12:03:00.000Z',
      receipt_url: null,
    },
  ],
} as const;
