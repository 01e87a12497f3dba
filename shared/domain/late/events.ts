import { z } from 'zod';
import { createDecoder, type EventOf } from '../decode.ts';
import { legSchema } from '../operation/events.ts';

/** How money is returned: a payout by its recipient, a payment at its payer's demand. */
const waysBack = ['returned', 'charged_back'] as const;
export type WayBack = (typeof waysBack)[number];

/**
 * What a provider reports about an operation after its end (R13.7), stream `late-<operation_id>`:
 * the operation and the shop's balance stay as they were, and an operator decides.
 */

const about = {
  operation_id: z.string(),
  shop_id: z.string(),
  merchant_id: z.string(),
  attempt: z.int(),
  provider: z.string(),
};

/** The version of the report that it is from, if the provider numbers its reports. */
const byReport = { report_version: z.int().optional() };

/**
 * The provider's id of the money, if it is not `leg_id`: two accounts may have one id for different
 * money, but `leg_id` is unique among an operation's late transfers, and among its returns
 * (`lateLegName`). `or_leg_id` and `or_of_leg_id` are never written: the conversion of events from
 * before this field adds them where the provider's id may be either of the two (`versions.ts`).
 */
const ownId = {
  provider_leg_id: z.string().optional(),
  or_leg_id: z.literal(true).optional(),
};

const money = { ...about, ...byReport, ...ownId, currency: z.string() };

export const lateEventSchemas = {
  /** Money that came after the end; it is held on the suspense account. */
  LateMoneyReceived: z.object({ ...money, leg: legSchema }),
  /**
   * The provider reported money that an operator had approved before; it is posted already. If a
   * leg has more than was approved and not yet confirmed, `leg` is the confirmed part; the rest is
   * late money of the same leg. `corrects`: the `leg_id` of money that the ledger has, if the
   * provider reported more of it instead of new money; `leg` is then that part, with an id of its
   * own, as for a difference.
   */
  ApprovedMoneyConfirmed: z.object({ ...money, leg: legSchema, corrects: z.string().optional() }),
  /**
   * Counted money was returned: it waits on the suspense account, in the other direction. For a
   * return before the end, `leg` is the part that no leg of the operation had. `of_leg_id`: the
   * provider's id of the leg that it reverses.
   */
  MoneyReturned: z.object({
    ...money,
    kind: z.enum(waysBack),
    of_leg_id: z.string(),
    or_of_leg_id: z.string().optional(),
    leg: legSchema.pick({ leg_id: true, amount: true, completed_at: true }),
    /** The amount by which it exceeds its leg. */
    beyond: z.string().optional(),
    /**
     * The total returned so far, including this: the merchant is sent a webhook. Absent before the
     * operation's end, and up to version 2.
     */
    total: z.string().optional(),
  }),
  /**
   * The provider's amount differs from the ledger's: it reports another amount for a transfer or a
   * return, or has ended without money that an operator approved. `leg` is the difference, a signed
   * amount with an id of its own, which waits on the suspense account; its time is that of the
   * money. `corrects`: the `leg_id` of the money. The amounts of a transfer include what was
   * returned before the end. A reported 0.00: the provider no longer reports the money.
   */
  DifferenceReported: z.object({
    ...money,
    of: z.enum(['transfer', 'return', 'approval']),
    corrects: z.string(),
    of_leg_id: z.string().optional(),
    leg: legSchema.pick({ leg_id: true, amount: true, completed_at: true }),
    counted_amount: z.string(),
    reported_amount: z.string(),
  }),
  /**
   * Written before there was `DifferenceReported`: another amount for a transfer or a return. It
   * moves no money; an operator acknowledges it. Up to version 2 the amounts exclude what was
   * returned before the end.
   */
  LateLegCorrected: z.object({
    ...about,
    ...ownId,
    currency: z.string(),
    leg_id: z.string(),
    of_leg_id: z.string().optional(),
    or_of_leg_id: z.string().optional(),
    counted_amount: z.string(),
    reported_amount: z.string(),
    report_version: z.int(),
  }),
  /**
   * A payout cost more than agreed: more was delivered than requested, or at a worse rate than
   * quoted. The charge is final, no other money moves, and an operator acknowledges it.
   * `agreed_amount`: the requested amount at the quoted rate.
   */
  PayoutOvercharged: z.object({
    ...about,
    currency: z.string(),
    agreed_amount: z.string(),
    charged_amount: z.string(),
  }),
  /** A reported end that contradicts the operation's own. */
  LateStatusReported: z.object({
    ...about,
    reported_status: z.string(),
    operation_status: z.string(),
  }),
  /**
   * An operator has acknowledged a contradicting end or a correction; `entry_id` is the id of the
   * event that reported it.
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

const latePrefix = lateStream('');

/** The operation id of a `late-` stream; undefined for other streams. */
export const operationOfLateStream = (stream: string): string | undefined =>
  stream.startsWith(latePrefix) ? stream.slice(latePrefix.length) : undefined;

type NamedLeg = ({ leg_id: string } | { leg: { leg_id: string } }) & {
  provider_leg_id?: string | undefined;
  or_leg_id?: true | undefined;
};

/**
 * The provider's own id of the leg or the return that an event is about; another one, too, where an
 * older event may mean either.
 */
export function providerLegIds(data: NamedLeg): readonly [string, ...string[]] {
  const name = 'leg' in data ? data.leg.leg_id : data.leg_id;
  const { provider_leg_id: id = name } = data;
  return data.or_leg_id ? [id, name] : [id];
}

/** The provider's own id of the leg that a return reverses; see `providerLegIds`. */
export const ofLegIds = (data: {
  of_leg_id: string;
  or_of_leg_id?: string | undefined;
}): readonly [string, ...string[]] =>
  data.or_of_leg_id === undefined ? [data.of_leg_id] : [data.of_leg_id, data.or_of_leg_id];

export const decodeLateEvent = createDecoder(lateEventSchemas, 'late');
