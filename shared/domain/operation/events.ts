import { z } from 'zod';
import { createDecoder, type EventOf } from '../decode.ts';
import { routeSchema, skipReasons } from '../routing.ts';
import { bodyHashSchema } from './admission/idempotency.ts';

/**
 * The events of an operation, in the order in which they can happen. One stream per operation,
 * `operation-<operation_id>`; its first event is the one durable admission record (R17.3).
 */

const amount = z.string();
const time = z.iso.datetime();

const destinationSchema = z.object({
  number: z.string(),
  name: z.string().optional(),
  bankname: z.string().optional(),
  bankname_details: z.string().optional(),
});
const purpose = {
  /** The purpose that the payer must give the transfer, by which the provider matches it. */
  transfer_purpose: z.string().optional(),
};
/** The payee's data that is sealed. */
export const recipientSchema = destinationSchema.pick({ number: true, name: true });
export type Recipient = z.infer<typeof recipientSchema>;

const requisitesSchema = destinationSchema.extend(purpose);
export type Requisites = z.infer<typeof requisitesSchema>;

/**
 * Personal data, encrypted with its client's key: opaque to everything that decides
 * (docs/operators/personal-data.md).
 */
const sealedSchema = z.object({ sealed: z.string() });

/** Bank and purpose are not personal: only number and name are sealed. */
const sealedDestinationSchema = sealedSchema.extend({
  bankname: z.string().optional(),
  bankname_details: z.string().optional(),
});
const sealedRequisitesSchema = sealedDestinationSchema.extend(purpose);
export type SealedRequisites = z.infer<typeof sealedRequisitesSchema>;

/** In plain text only in events of version 1. */
const storedRequisitesSchema = z.union([sealedRequisitesSchema, requisitesSchema]);
export type StoredRequisites = z.infer<typeof storedRequisitesSchema>;

export const legSchema = z.object({
  leg_id: z.string(),
  amount,
  completed_at: time,
  /** The provider has a file that shows it. */
  file: z.boolean(),
  /** An operator approved it; no provider reported it. */
  synthetic: z.literal(true).optional(),
});
/** One physical contribution of money to an operation. */
export type Leg = z.infer<typeof legSchema>;

/** Returned money of a leg: of a returned payout, or of a payment that was charged back. */
const returnedSchema = z.object({
  /** The id of the return itself. */
  leg_id: z.string(),
  /** The leg that it reverses. */
  of_leg_id: z.string(),
  amount,
  completed_at: time,
});
export type ReturnedMoney = z.infer<typeof returnedSchema>;

/** A merchant's own notes on an operation, by name. */
export type Metadata = Readonly<Record<string, string>>;

/** Not a record of zod's, which drops the key `__proto__`. */
const metadataSchema = z.custom<Metadata>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((text) => typeof text === 'string'),
);

/** A field that is encrypted as a whole; opened only in memory. */
const encrypted = <Schema extends z.ZodType>(opened: Schema) =>
  z.union([z.strictObject({ sealed: z.string() }), z.strictObject({ opened })]);

export const operationRequestSchema = z.object({
  client_id: z.string(),
  /** In plain text only in events of version 1. */
  client_ip: z.union([sealedSchema, z.string()]).optional(),
  method: z.string(),
  amount,
  currency: z.string(),
  /** A payout's destination; never stored for a payment, which does not use it (R3.6). */
  destination: z.union([sealedDestinationSchema, destinationSchema]).optional(),
  metadata: encrypted(metadataSchema).optional(),
});
export type OperationRequest = z.infer<typeof operationRequestSchema>;

/**
 * What providers get of a request, with its personal data in plain text. Chosen by hand: what else
 * a merchant notes on an operation is not for them.
 */
export type PlainRequest = Pick<
  OperationRequest,
  'client_id' | 'method' | 'amount' | 'currency'
> & {
  client_ip?: string;
  destination?: Requisites;
};

/** The texts of a create that are stored as they were sent. */
export type RequestTexts = {
  [
    Name in keyof OperationRequest as OperationRequest[Name] extends string | undefined
      ? Exclude<Name, 'method' | 'amount' | 'currency'>
      : never
  ]: OperationRequest[Name];
};

type WithOpened<Stored> = Extract<Stored, { opened: unknown }>;
export type SealedName = {
  [Name in keyof OperationRequest]-?: WithOpened<OperationRequest[Name]> extends never
    ? never
    : Name;
}[keyof OperationRequest];

/** Fields of a create that are stored encrypted, as a whole. */
export type SealedFields = Pick<OperationRequest, SealedName>;

/** The same in plain text, as far as they were decrypted. */
export type OpenedFields = {
  [Name in SealedName]?: WithOpened<OperationRequest[Name]>['opened'] | undefined;
};

/**
 * Why a receipt waits for a person: it may be forged, or what it shows can't be read or has not
 * ended yet.
 */
export const manualCheckReasonSchema = z.enum(['potential_fake', 'not_terminal']);
export type ManualCheckReason = z.infer<typeof manualCheckReasonSchema>;

const attempt = z.int();
/**
 * The version of the report that it is from, if the provider numbers its reports: older reports are
 * obsolete.
 */
const byReport = { report_version: z.int().optional() };
const figures = {
  actual_amount: amount,
  /** Only with money (R5.3). */
  recorded_amount: amount.optional(),
  settlement_amount: amount,
  commission_amount: amount,
};

const withMoney = {
  ...figures,
  ...byReport,
  /** The legs that this event adds. */
  legs: z.array(legSchema),
  /** The legs are the whole evidence of the money (R10.5): the provider is not asked for more. */
  evidence: z.literal('legs').optional(),
};

export const operationEventSchemas = {
  /** A create was accepted for processing: from here on its key is taken. */
  OperationAdmitted: z.object({
    operation_id: z.string(),
    shop_id: z.string(),
    merchant_id: z.string(),
    type: z.enum(['payment', 'payout']),
    merchant_operation_id: z.string(),
    body_hash: bodyHashSchema,
    request: operationRequestSchema,
    /** A create without an outcome by then is rejected by the first process that finds it. */
    accept_until: time,
    /** How it was requested; unknown for operations admitted before version 3. */
    endpoint: z.string().optional(),
    api_version: z.string().optional(),
  }),
  /**
   * A cancel came before its create (R8.7). The create of that key, when it comes, is admitted and
   * cancelled in one append; until then there is no operation to show.
   */
  OperationCancelledBeforeCreate: z.object({
    operation_id: z.string(),
    shop_id: z.string(),
    merchant_id: z.string(),
    merchant_operation_id: z.string(),
    reason: z.string(),
  }),
  /**
   * A route is being tried. A payment's provider is called with the key (operation, attempt) from
   * here on.
   */
  AttemptStarted: z.object({ attempt, route: routeSchema }),
  /** Routes that were skipped; the next event is about the route after them. */
  RoutesSkipped: z.object({
    routes: z.array(
      z.object({ provider: z.string(), priority: z.int(), reason: z.enum(skipReasons) }),
    ),
  }),
  /** A payout's funds are about to be reserved in the ledger of `currency`. */
  ReservationRequested: z.object({
    /** The attempt that it was first made for. */
    reservation: z.int(),
    currency: z.string(),
    amount,
    /** The quote behind the amount, if the route converts. */
    fx_rate: z.string().optional(),
  }),
  /**
   * The ledger holds the reservation: a payout's provider may be called with the key (operation,
   * attempt).
   */
  FundsReserved: z.object({ reservation: z.int(), attempt }),
  AttemptAccepted: z.object({
    attempt,
    provider_reference: z.string(),
    requisites: storedRequisitesSchema.optional(),
    expires_at: time.optional(),
    fx_rate: z.string().optional(),
    /** The payer must upload a receipt: the operation waits for confirmation. */
    confirmation_required: z.boolean(),
  }),
  AttemptRefused: z.object({
    attempt,
    reason: z.string(),
    /** The balance that was too low, how far below zero it may be, and the amount needed. */
    funds: z
      .object({ currency: z.string(), balance: amount, limit: amount, need: amount })
      .optional(),
  }),
  /**
   * The provider's answer is unknown: it may have accepted, and must be polled or asked to
   * withdraw.
   */
  AttemptUnresolved: z.object({ attempt, cause: z.enum(['timeout', 'error']) }),
  /** The provider confirmed that nothing more will come of this attempt. */
  AttemptWithdrawn: z.object({ attempt }),
  /** A part of the money was received; the operation stays open. */
  LegReceived: z.object({ attempt, leg: legSchema, ...byReport }),
  /**
   * The provider corrected a reported leg: `leg` has the new amount, 0.00 if it is gone; `was` is
   * the amount counted before.
   */
  LegCorrected: z.object({ attempt, leg: legSchema, was: amount, report_version: z.int() }),
  /**
   * Money was returned while the operation was open, so its leg counts for less. `counted`: the
   * part deducted from the leg; the rest is a late fact. `leg`: the leg after that; absent if there
   * is no such leg yet.
   */
  LegReturned: z.object({
    attempt,
    returned: returnedSchema,
    counted: amount,
    leg: legSchema.optional(),
    ...byReport,
  }),
  /** The payer's receipt is stored, and its review has begun (R9.6). */
  ReceiptUploaded: z.object({
    receipt_id: z.string(),
    /** The hash of the file, in hex: the same bytes are the same receipt. */
    sha256: z.string(),
    size_bytes: z.int(),
    /** Whether it is a PDF, by its content. */
    pdf: z.boolean(),
  }),
  /** The provider's answer to the upload: it has the receipt, or wants none. */
  ReceiptSubmitted: z.object({ receipt_id: z.string(), attempt, taken: z.boolean() }),
  /** The receipt was flagged; `reason` is the provider's, if it has one. */
  ManualCheckStarted: z.object({
    receipt_id: z.string(),
    reason: manualCheckReasonSchema.optional(),
  }),
  /** An operator decided on the receipt. The end that follows is an event of its own. */
  ReviewDecided: z.object({
    receipt_id: z.string(),
    decision: z.enum(['approve', 'decline', 'ask_again']),
    actual_amount: amount.optional(),
    note: z.string(),
  }),
  /** An admin closed the operation. The end that follows is an event of its own. */
  CloseDecided: z.object({
    note: z.string(),
    /** The provider reported it as accepted and not ended. */
    forced: z.literal(true).optional(),
  }),
  OperationCompleted: z.object(withMoney),
  OperationPartiallyCompleted: z.object(withMoney),
  OperationDeclined: z.object({
    ...figures,
    ...byReport,
    reason: z.enum([
      'no_route',
      /** Routes fit, and each of them was skipped. */
      'routes_skipped',
      /** The same, with at least one at its daily limit. */
      'routes_full',
      'all_refused',
      'acceptance_timeout',
      /** A provider failed, and no other took it. */
      'provider_error',
      'insufficient_funds',
      'provider',
      'review',
      'close',
    ]),
  }),
  OperationExpired: z.object({ ...figures, ...byReport }),
  OperationCancelled: z.object({ ...figures, reason: z.string() }),
} as const;

type Schemas = typeof operationEventSchemas;
export type OperationEventType = keyof Schemas;
export type OperationEventOf<Type extends OperationEventType> = {
  type: Type;
  data: z.infer<Schemas[Type]>;
};
export type OperationEvent = EventOf<Schemas>;

export type DeclineCause = OperationEventOf<'OperationDeclined'>['data']['reason'];

/** The events after which an operation never changes (R6.3). */
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

export const operationStreamPrefix = 'operation-';
export const operationStream = (operationId: string): string =>
  `${operationStreamPrefix}${operationId}`;

export const decodeOperationEvent = createDecoder(operationEventSchemas, 'operation');
