/** The types of webhooks about an operation. */
export const operationWebhookTypes = [
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
] as const;

/** Every type of webhook, as endpoints name those that they take. A `ping` goes where it is sent. */
export const webhookTypes = [...operationWebhookTypes, 'endpoint.disabled', 'ping'] as const;
