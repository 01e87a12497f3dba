import { z } from 'zod';
import { decoderOf, type EventOf } from '../decode.ts';
import { routeSchema } from '../routing.ts';

/**
 * What is kept of an operation, in the order in which it can happen. One stream an operation,
 * `operation-<operation_id>`; its first event is the one durable admission record (specification 4.6).
 */

const amount = z.string();
const time = z.iso.datetime();

export const requisitesSchema = z.object({
  number: z.string(),
  name: z.string().optional(),
  bankname: z.string().optional(),
  bankname_details: z.string().optional(),
});
export type Requisites = z.infer<typeof requisitesSchema>;

export const legSchema = z.object({
  leg_id: z.string(),
  amount,
  completed_at: time,
  /** The provider has a file that shows it. */
  file: z.boolean(),
});
/** One physical contribution of money to an operation. */
export type Leg = z.infer<typeof legSchema>;

export const operationRequestSchema = z.object({
  client_id: z.string(),
  client_ip: z.string().optional(),
  method: z.string(),
  amount,
  currency: z.string(),
  /** A payout's destination; never kept for a payment, which does not use it (specification 2.1). */
  destination: requisitesSchema.optional(),
});
export type OperationRequest = z.infer<typeof operationRequestSchema>;

const attempt = z.int();
const figures = {
  actual_amount: amount,
  /** Only with money (specification 2.2). */
  recorded_amount: amount.optional(),
  settlement_amount: amount,
  commission_amount: amount,
};

export const operationEventSchemas = {
  /** A create was accepted for processing: the key is taken from here on. */
  OperationAdmitted: z.object({
    operation_id: z.string(),
    shop_id: z.string(),
    merchant_id: z.string(),
    type: z.enum(['payment', 'payout']),
    merchant_operation_id: z.string(),
    body_hash: z.string(),
    request: operationRequestSchema,
    /** A create without an outcome by then is rejected, by whoever finds it. */
    accept_until: time,
  }),
  /** A provider is about to be called with the key (operation, attempt). */
  AttemptStarted: z.object({ attempt, route: routeSchema }),
  AttemptAccepted: z.object({
    attempt,
    provider_reference: z.string(),
    requisites: requisitesSchema.optional(),
    expires_at: time.optional(),
    fx_rate: z.string().optional(),
    /** The payer must upload a receipt: the operation waits for confirmation. */
    confirmation_required: z.boolean(),
  }),
  AttemptRefused: z.object({ attempt, reason: z.string() }),
  /** The provider's answer is not known: it may have accepted, and must be asked or told to withdraw. */
  AttemptUnresolved: z.object({ attempt, cause: z.enum(['timeout', 'error']) }),
  /** The provider confirmed that nothing more will come of this attempt. */
  AttemptWithdrawn: z.object({ attempt }),
  /** Money came in part; the operation goes on. */
  LegReceived: z.object({ attempt, leg: legSchema }),
  OperationCompleted: z.object({ ...figures, legs: z.array(legSchema) }),
  OperationPartiallyCompleted: z.object({ ...figures, legs: z.array(legSchema) }),
  OperationDeclined: z.object({
    ...figures,
    reason: z.enum(['no_route', 'all_refused', 'acceptance_timeout', 'provider', 'review']),
  }),
  OperationExpired: z.object({ ...figures }),
  OperationCancelled: z.object({ ...figures, reason: z.string() }),
} as const;

type Schemas = typeof operationEventSchemas;
export type OperationEventType = keyof Schemas;
export type OperationEventOf<Type extends OperationEventType> = { type: Type; data: z.infer<Schemas[Type]> };
export type OperationEvent = EventOf<Schemas>;

/** The events after which an operation never changes (contract §4). */
export const terminalStatuses = {
  OperationCompleted: 'completed',
  OperationPartiallyCompleted: 'partially_completed',
  OperationDeclined: 'declined',
  OperationExpired: 'expired',
  OperationCancelled: 'cancelled',
} as const satisfies Partial<Record<OperationEventType, string>>;

export type TerminalEventType = keyof typeof terminalStatuses;
export type TerminalStatus = (typeof terminalStatuses)[TerminalEventType];

export const isTerminalEventType = (type: string): type is TerminalEventType =>
  Object.hasOwn(terminalStatuses, type);

export const operationStream = (operationId: string): string => `operation-${operationId}`;

export const decodeOperationEvent = decoderOf(operationEventSchemas, 'operation');
