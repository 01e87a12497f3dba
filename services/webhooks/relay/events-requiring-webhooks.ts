import type { LateEvent } from '#shared/domain/late/events.ts';
import type { OperationEventType } from '#shared/domain/operation/events.ts';
import type { ShopEvent } from '#shared/domain/shop/events.ts';

/**
 * Which events may require a webhook: `true` always, `false` never, or by their content. One line
 * for every type, so that a new one can't be forgotten. A wrong `true` only costs a read; the fold
 * decides (`expectedMessages`).
 */
const webhookRules: Record<
  OperationEventType | LateEvent['type'] | ShopEvent['type'],
  boolean | ((data: Record<string, unknown>) => boolean)
> = {
  OperationAdmitted: false,
  // No webhook until the create arrives, which adds its own cancellation.
  OperationCancelledBeforeCreate: false,
  AttemptStarted: false,
  RoutesSkipped: false,
  AttemptAccepted: (data) => data['confirmation_required'] === true,
  AttemptRefused: false,
  AttemptUnresolved: false,
  AttemptWithdrawn: false,
  LegReceived: false,
  LegCorrected: false,
  LegReturned: false,
  ReservationRequested: false,
  FundsReserved: false,
  ReceiptUploaded: false,
  ReceiptSubmitted: false,
  ManualCheckStarted: false,
  ReviewDecided: (data) => data['decision'] === 'ask_again',
  CloseDecided: false,
  OperationCompleted: true,
  OperationPartiallyCompleted: true,
  OperationDeclined: true,
  OperationExpired: true,
  OperationCancelled: true,
  MoneyReturned: (data) => data['total'] !== undefined,
  LateMoneyReceived: false,
  ApprovedMoneyConfirmed: false,
  DifferenceReported: false,
  LateLegCorrected: false,
  PayoutOvercharged: false,
  LateStatusReported: false,
  LateStatusAcknowledged: false,
  ShopCreated: false,
  ShopChanged: false,
  ApiKeyIssued: false,
  ApiKeyRevoked: false,
  RoutesReplaced: false,
  WebhookConfigured: false,
  WebhookSecretIssued: false,
  WebhookDisabled: true,
  WebhookFailing: true,
  WebhookRecovered: false,
  WebhookEndpointDeleted: false,
};

/** The streams whose events may require a webhook. */
export const relayedStreams: readonly string[] = ['operation-', 'late-', 'shop-'];

/**
 * Types that the relay does not read: events that never require a webhook, and ledger entries,
 * which are about as many.
 */
export const typesWithoutWebhook: readonly string[] = [
  ...Object.entries(webhookRules).flatMap(([type, rule]) => (rule === false ? [type] : [])),
  'EntryPosted',
];

/** An unknown type is published, for a newer version to decide. */
export function mayRequireWebhook(event: { type: string; data: unknown }): boolean {
  const rule = Object.hasOwn(webhookRules, event.type)
    ? webhookRules[event.type as keyof typeof webhookRules]
    : true;
  return typeof rule === 'function' ? rule(event.data as Record<string, unknown>) : rule;
}
