import { z } from 'zod';
import { wireText, wireTime } from '../wire-values.ts';

/**
 * The sandbox provider's wire format, version 1: everything that both sides share. See
 * `docs/merchants/sandbox-provider.md`.
 */

const positiveAmount = z
  .string()
  .regex(/^(0|[1-9]\d{0,14})\.\d{2}$/, 'must be a decimal with two places')
  .refine((amount) => amount !== '0.00', 'must be above zero');
export const wireCurrencySchema = z.string().regex(/^[A-Z]{3,5}$/, 'must be a currency code');
const destination = z.object({
  number: wireText(64).min(1),
  name: wireText(65_536).optional(),
  bankname: wireText(64).optional(),
  bankname_details: wireText(256).optional(),
});

export const wirePaths = {
  /** Whose key it is. */
  account: '/v1/account',
  attempt: (key: string): string => `/v1/attempts/${encodeURIComponent(key)}`,
  withdraw: (key: string): string => `${wirePaths.attempt(key)}/withdraw`,
  resolve: (key: string): string => `${wirePaths.attempt(key)}/resolve`,
  quote: (key: string): string => `${wirePaths.attempt(key)}/quote`,
  receipt: (key: string, receiptId: string): string =>
    `${wirePaths.attempt(key)}/receipts/${encodeURIComponent(receiptId)}`,
  evidence: (key: string): string => `${wirePaths.attempt(key)}/evidence`,
  legFile: (key: string, legId: string): string =>
    `${wirePaths.attempt(key)}/legs/${encodeURIComponent(legId)}/file`,
  statement: (of: { currency: string; day: string; page: number }): string =>
    `/v1/statements?${new URLSearchParams({ ...of, page: String(of.page) }).toString()}`,
};

/** The submission under a key. */
export const wireSubmissionSchema = z.strictObject({
  type: z.enum(['payment', 'payout']),
  method: z.string().min(1).max(64),
  amount: positiveAmount,
  currency: wireCurrencySchema,
  client_id: z.string().max(2048),
  client_ip: z.string().max(64).optional(),
  /** Where a payout goes. */
  destination: destination.optional(),
  /** The currency to convert `currency` into. */
  settlement_currency: wireCurrencySchema.optional(),
  /** The route's options: how the sandbox is to behave. */
  options: z.record(z.string(), z.json()).optional(),
});
export type WireSubmission = z.infer<typeof wireSubmissionSchema>;

/** The request for a quote, before any submission under the key. */
export const wireQuoteRequestSchema = z.strictObject({
  currency: wireCurrencySchema,
  settlement_currency: wireCurrencySchema,
  options: z.record(z.string(), z.json()).optional(),
});
export type WireQuoteRequest = z.infer<typeof wireQuoteRequestSchema>;

export const wireQuoteSchema = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('quoted'), key: z.string(), fx_rate: z.string() }),
  z.object({ outcome: z.literal('refused'), key: z.string(), reason: z.string() }),
]);
export type WireQuote = z.infer<typeof wireQuoteSchema>;

const wireLegSchema = z.object({
  leg_id: wireText(256).min(1),
  amount: positiveAmount,
  completed_at: wireTime,
  /** A file that shows this leg can be fetched. */
  file: z.boolean(),
});
export type WireLeg = z.infer<typeof wireLegSchema>;

/** Returned money of a leg: of a returned payout, or of a payment that was charged back. */
const wireReturnSchema = z.object({
  /** The id of the return itself; no leg has it. */
  leg_id: wireText(256).min(1),
  of_leg_id: wireText(256).min(1),
  amount: positiveAmount,
  completed_at: wireTime,
});
export type WireReturn = z.infer<typeof wireReturnSchema>;

const wireReviewSchema = z.object({
  /** The reviewed receipt: the newest one. */
  receipt_id: z.string(),
  state: z.enum(['waiting', 'approved', 'flagged', 'declined']),
  /** Why it was flagged; a provider may give none. */
  reason: z.enum(['potential_fake', 'not_terminal']).optional(),
});
export type WireReview = z.infer<typeof wireReviewSchema>;

/**
 * The provider's knowledge of an attempt: the answer to every request about it and the body of
 * every callback. A newer snapshot has a higher `version` and never knows less.
 */
export const wireSnapshotSchema = z.object({
  key: z.string(),
  operation_id: z.string(),
  attempt: z.int().min(1),
  version: z.int().min(0),
  /**
   * `received`: not decided yet. `void`: closed before it was ever submitted; it never will be
   * taken.
   */
  acceptance: z.enum(['received', 'accepted', 'refused', 'void']),
  refusal_reason: z.string().optional(),
  reference: wireText(512).optional(),
  /** Where a payer pays to. */
  requisites: destination.extend({ transfer_purpose: wireText(210).optional() }).optional(),
  expires_at: wireTime.optional(),
  fx_rate: z.string().optional(),
  status: z.enum(['open', 'completed', 'partially_completed', 'declined', 'expired', 'withdrawn']),
  /** All money that came, oldest first. */
  legs: z.array(wireLegSchema),
  /** All returned money, oldest first; the legs keep their amounts. */
  returns: z.array(wireReturnSchema).optional(),
  /** These legs are all the evidence for the money: it need not be requested separately. */
  evidence: z.literal('legs').optional(),
  review: wireReviewSchema.optional(),
});
export type WireSnapshot = z.infer<typeof wireSnapshotSchema>;

/** The provider's evidence for the money of an attempt. */
export const wireEvidenceSchema = z.object({
  /** `partial`: at least one item is synthetic. */
  status: z.enum(['complete', 'partial']),
  /** `synthetic`: the amount is right, but nothing of the transfer itself is known. */
  items: z.array(wireLegSchema.extend({ synthetic: z.boolean() })),
});
export type WireEvidence = z.infer<typeof wireEvidenceSchema>;

const signedAmount = z
  .string()
  .regex(/^-?(0|[1-9]\d{0,15})\.\d{2}$/, 'must be a decimal with two places');

export const wireStatementLineSchema = z.strictObject({
  kind: z.enum(['transfer', 'return', 'chargeback', 'fee', 'settlement', 'other']),
  direction: z.enum(['in', 'out']),
  leg_id: wireText(256).min(1),
  /** The leg whose money was returned, for a return. */
  of_leg_id: wireText(256).min(1).optional(),
  operation_id: wireText(64).optional(),
  attempt: z.int32().min(1).optional(),
  amount: positiveAmount,
  completed_at: wireTime,
});
export type WireStatementLine = z.infer<typeof wireStatementLineSchema>;

/** A page of the movements of a UTC day in one currency. */
export const wireStatementSchema = z.object({
  currency: wireCurrencySchema,
  day: z.iso.date(),
  page: z.int().min(1),
  /** The day is over. */
  final: z.boolean(),
  /** The day's balances, the same on each of its pages. */
  opening_balance: signedAmount,
  closing_balance: signedAmount,
  lines: z.array(wireStatementLineSchema),
  more: z.boolean(),
});
export type WireStatement = z.infer<typeof wireStatementSchema>;

/** Whose key was shown. */
export const wireAccountSchema = z.object({ account: wireText(64).min(1) });
export type WireAccount = z.infer<typeof wireAccountSchema>;
