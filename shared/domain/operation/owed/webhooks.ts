import type { Operation } from '../state.ts';

/** The statuses whose entry the merchant hears of by webhook (R14.1). */
export const webhookStatuses = {
  awaiting_confirmation: true,
  completed: true,
  partially_completed: true,
  declined: true,
  expired: true,
  cancelled: true,
} as const;

/** A webhook is owed on entry into one of these statuses. */
export function owesWebhook(before: Operation, after: Operation): boolean {
  return before.status !== after.status && after.status in webhookStatuses;
}
