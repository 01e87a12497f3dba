import type { OperationType } from '../operation-type.ts';
import type { OperationStatus } from './state.ts';

/** Whose doing a change of status is. */
export type Cause = 'provider' | 'receipt' | 'operator' | 'merchant' | 'window' | 'create';

/** A change of status; `created` represents the request that creates an operation. */
export type Transition = {
  from: OperationStatus | 'created';
  to: OperationStatus;
  causes: readonly Cause[];
};

/**
 * Every change of status that the decisions make (`decisions.ts`), with its causes. Stored, so that
 * it can be read here and need not be computed; a test compares it with what the decisions do.
 */
export const transitions: Readonly<Record<OperationType, readonly Transition[]>> = {
  payment: [
    { from: 'created', to: 'pending', causes: ['provider'] },
    { from: 'created', to: 'awaiting_confirmation', causes: ['provider'] },
    { from: 'created', to: 'declined', causes: ['create', 'provider'] },
    { from: 'created', to: 'cancelled', causes: ['merchant'] },
    { from: 'pending', to: 'completed', causes: ['provider'] },
    { from: 'pending', to: 'partially_completed', causes: ['provider'] },
    { from: 'pending', to: 'declined', causes: ['provider'] },
    { from: 'pending', to: 'expired', causes: ['provider', 'window'] },
    { from: 'pending', to: 'cancelled', causes: ['merchant'] },
    { from: 'awaiting_confirmation', to: 'manual_check', causes: ['receipt', 'provider'] },
    { from: 'awaiting_confirmation', to: 'completed', causes: ['provider'] },
    { from: 'awaiting_confirmation', to: 'partially_completed', causes: ['provider'] },
    { from: 'awaiting_confirmation', to: 'declined', causes: ['provider'] },
    { from: 'awaiting_confirmation', to: 'expired', causes: ['provider', 'window'] },
    { from: 'awaiting_confirmation', to: 'cancelled', causes: ['merchant'] },
    { from: 'manual_check', to: 'awaiting_confirmation', causes: ['operator'] },
    { from: 'manual_check', to: 'completed', causes: ['provider', 'operator'] },
    { from: 'manual_check', to: 'partially_completed', causes: ['provider', 'operator'] },
    { from: 'manual_check', to: 'declined', causes: ['provider', 'operator'] },
  ],
  payout: [
    { from: 'created', to: 'pending', causes: ['provider', 'create'] },
    { from: 'created', to: 'declined', causes: ['create', 'provider'] },
    { from: 'pending', to: 'completed', causes: ['provider'] },
    { from: 'pending', to: 'partially_completed', causes: ['provider'] },
    { from: 'pending', to: 'declined', causes: ['provider'] },
  ],
};
