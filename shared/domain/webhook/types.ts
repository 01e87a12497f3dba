/** Every type of webhook, as endpoints name those that they take. A `ping` goes where it is sent. */
export const webhookTypes = [
  'payment.awaiting_confirmation',
  'payment.completed',
  'payment.partially_completed',
  'payment.declined',
  'payment.expired',
  'payment.cancelled',
  'payment.charged_back',
  'payout.completed',
  'payout.partially_completed',
  'payout.declined',
  'payout.returned',
  'endpoint.disabled',
  'ping',
] as const;
