import type { Operation } from '#shared/domain/operation/state.ts';
import type { Tone } from '#shared/platform/pages/index.ts';

export const statusTones: Readonly<Record<Operation['status'], Tone>> = {
  creating: 'neutral',
  pending: 'info',
  awaiting_confirmation: 'info',
  manual_check: 'warning',
  completed: 'success',
  partially_completed: 'success',
  declined: 'danger',
  expired: 'neutral',
  cancelled: 'neutral',
};
