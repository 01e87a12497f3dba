// oxlint-disable no-console -- a program to copy, which prints what it learns
// --- key
import { createClient, orThrow } from '#clients/typescript/index.ts';

const gateway = createClient({
  baseUrl: process.env['GATEWAY'] ?? '',
  apiKey: process.env['API_KEY'] ?? '',
});

console.log(orThrow(await gateway.getBalances()));

// --- create
const payment = {
  merchant_operation_id: `order-${Date.now()}`,
  client_id: 'client-1',
  method: 'WT_RUB_C2C',
  amount: '100.00',
  currency: 'RUB',
} as const;

const created = await gateway.createPaymentLink(payment);
if (!created.ok) throw new Error(`${created.error.code}: ${created.error.detail}`);
console.log(created.data.status, created.data.payment_url);

// --- repeat
const again = await gateway.createPaymentLink(payment);
console.log('replayed:', again.ok && again.replayed);

// --- state
const reference = { merchant_operation_id: payment.merchant_operation_id };
let state = orThrow(await gateway.getOperationState(reference));
while (state.status === 'pending') {
  await new Promise((resolve) => setTimeout(resolve, 1000));
  state = orThrow(await gateway.getOperationState(reference));
}
console.log(state.status, state.actual_amount, state.receipts);

// --- balance
console.log(orThrow(await gateway.getBalances()));

// --- receipt
const sample = await fetch(`${process.env['GATEWAY']}/docs/sample-receipt.pdf`);

const waiting = orThrow(
  await gateway.createPayment({
    ...payment,
    merchant_operation_id: `receipt-${Date.now()}`,
    amount: '1051.00',
  }),
);
const confirmed = orThrow(
  await gateway.confirmPayment({
    operation_id: waiting.operation_id,
    confirmation_type: 'receipt',
    receipt: await sample.blob(),
  }),
);
console.log('receipt:', confirmed.status);
