/** Examples of what the merchant API answers; the tests hold them to the schemas. */

const id = '0f8fad5b-d9cb-869f-a165-70867728950e';

export const card = {
  merchant_operation_id: 'order-1',
  client_id: 'client-1',
  client_ip: '203.0.113.7',
  method: 'WT_RUB_C2C',
  amount: '100.00',
  currency: 'RUB',
} as const;

export const phone = { ...card, method: 'WT_RUB_PHONE' } as const;

const figures = {
  currency: 'RUB',
  settlement_amount: '97.50',
  settlement_currency: 'RUB',
  commission_amount: '2.50',
} as const;

export const pendingPayment = {
  operation_id: id,
  type: 'payment',
  status: 'pending',
  method: 'WT_RUB_C2C',
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
  method: 'WT_RUB_C2C',
  expected_amount: '100.00',
  actual_amount: '0.00',
  currency: 'RUB',
  settlement_amount: '0.00',
  settlement_currency: 'RUB',
  commission_amount: '0.00',
} as const;

export const pendingPayout = {
  operation_id: id,
  type: 'payout',
  status: 'pending',
  method: 'WT_RUB_C2C',
  expected_amount: '100.00',
  actual_amount: '0.00',
  ...figures,
  settlement_amount: '102.50',
  number: '220012******9012',
  name: 'аноним',
} as const;

export const pendingPhonePayout = {
  ...pendingPayout,
  method: 'WT_RUB_PHONE',
  number: '+79001234567',
  bankname: 'sberbank',
  bankname_details: 'Сбербанк',
} as const;

export const completedPayment = {
  ...pendingPayment,
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
