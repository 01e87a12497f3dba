import type { Operation } from '../state.ts';

/** The statuses that cause a webhook on entry (R14.1). */
export const webhookStatuses = {
  awaiting_confirmation: true,
  completed: true,
  partially_completed: true,
  declined: true,
  expired: true,
  cancelled: true,
} as const;

/** Whether the operation has entered one of these statuses. */
export function causesWebhook(before: Operation, after: Operation): boolean {
  return before.status !== after.status && after.status in webhookStatuses;
}
