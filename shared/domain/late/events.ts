import { z } from 'zod';
import { decoderOf, type EventOf } from '../decode.ts';
import { legSchema } from '../operation/events.ts';

/** How money goes back: a payout from its payee, a payment at its payer's demand. */
export const waysBack = ['returned', 'charged_back'] as const;
export type WayBack = (typeof waysBack)[number];

/**
 * What a provider reports of an operation after its end (R13.7), one stream an operation,
 * `late-<operation_id>`: the operation and the shop's balance stay as they were, and an operator
 * decides.
 */

const about = {
  operation_id: z.string(),
  shop_id: z.string(),
  merchant_id: z.string(),
  attempt: z.int(),
  provider: z.string(),
};

/** Of the report that brought it, where the provider numbers them. */
const byReport = { report_version: z.int().optional() };

export const lateEventSchemas = {
  /** Money that no operation accounts for: it waits on the suspense account. */
  LateMoneyReceived: z.object({ ...about, ...byReport, currency: z.string(), leg: legSchema }),
  /**
   * Money that an operator's approval stands for has come: the books have it already. Of a leg
   * that brings more than was approved and not yet confirmed, `leg` has the part that confirms;
   * the rest is late money of the same leg.
   */
  ApprovedMoneyConfirmed: z.object({ ...about, ...byReport, currency: z.string(), leg: legSchema }),
  /**
   * Money that had been counted went back: it waits on the suspense account, the other way round.
   * Of what went back before the end, `leg` has the part that no leg of the operation had.
   */
  MoneyReturned: z.object({
    ...about,
    ...byReport,
    currency: z.string(),
    kind: z.enum(waysBack),
    of_leg_id: z.string(),
    leg: legSchema.pick({ leg_id: true, amount: true, completed_at: true }),
    /** So much of it is more than its leg brought. */
    beyond: z.string().optional(),
  }),
  /**
   * The provider now has another amount for a leg that was counted, or is in suspense: no money
   * moves, and an operator takes note. 0.00: it has the leg no more. With `of_leg_id`: for money
   * that went back, as a whole, also while the operation is open.
   */
  LateLegCorrected: z.object({
    ...about,
    currency: z.string(),
    leg_id: z.string(),
    of_leg_id: z.string().optional(),
    counted_amount: z.string(),
    reported_amount: z.string(),
    report_version: z.int(),
  }),
  /**
   * A payout ended with a charge above its terms: more was delivered than asked, or at a worse
   * rate than quoted. The charge stands, no other money moves, and an operator takes note.
   * `agreed_amount`: what was asked for, at the quote.
   */
  PayoutOvercharged: z.object({
    ...about,
    currency: z.string(),
    agreed_amount: z.string(),
    charged_amount: z.string(),
  }),
  /** An end that contradicts the operation's own. */
  LateStatusReported: z.object({
    ...about,
    reported_status: z.string(),
    operation_status: z.string(),
  }),
  /**
   * An operator has taken note of a contradicting end, or of a correction; `entry_id` is the id of
   * the event that reported it.
   */
  LateStatusAcknowledged: z.object({
    operation_id: z.string(),
    shop_id: z.string(),
    entry_id: z.string(),
    note: z.string(),
  }),
} as const;

export type LateEvent = EventOf<typeof lateEventSchemas>;

export const lateStream = (operationId: string): string => `late-${operationId}`;

export const decodeLateEvent = decoderOf(lateEventSchemas, 'late');
