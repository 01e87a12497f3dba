import type { OperationEventOf } from '#shared/domain/operation/events.ts';

type Cause = OperationEventOf<'OperationDeclined'>['data']['reason'];

/** What everybody is shown of the reason in the event (R5.15). */
export function declineReasonShown(cause: Cause): string {
  switch (cause) {
    case 'routes_skipped':
    case 'provider_error':
      return 'provider_unavailable';
    case 'all_refused':
      return 'provider_refused';
    case 'provider':
      return 'provider_declined';
    case 'review':
      return 'receipt_rejected';
    case 'close':
      return 'closed_by_operator';
    case 'no_route':
    case 'routes_full':
    case 'acceptance_timeout':
    case 'insufficient_funds':
      return cause;
  }
}
