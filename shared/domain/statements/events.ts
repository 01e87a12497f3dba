import { z } from 'zod';
import { createDecoder, type EventOf } from '../decode.ts';
import { amountPattern } from '../money.ts';

/**
 * A provider's statement of one account with it, in one currency, on one day (UTC). Each has a
 * stream, `statement-<provider>.<account>.<currency>.<day>`. How it matches the operations is not
 * stored: that follows from the lines and the legs at any time
 * (projections/testing/match-statement.ts).
 */

export { defaultAccount } from '../provider/accounts.ts';

/**
 * `transfer`: money of an attempt, in for a payment, out for a payout. `return`: a payout's money
 * came back. `chargeback`: a payment's money was taken back. `settlement`: the provider and the
 * gateway's own bank account.
 */
export const lineKinds = [
  'transfer',
  'return',
  'chargeback',
  'fee',
  'settlement',
  'other',
] as const;
export type LineKind = (typeof lineKinds)[number];

const legId = z.string().min(1).max(256);
/** A sum, or a balance, that may lie below zero: any table can hold it. */
const signedTotal = z.string().regex(/^(?!-0\.00$)-?(0|[1-9]\d{0,35})\.\d{2}$/);
const amount = z.string().regex(amountPattern);
/** The sum of as many amounts as a statement has; any table can hold it. */
const total = z.string().regex(/^(0|[1-9]\d{0,20})\.\d{2}$/);
/** What an account with a provider held: any table can hold it. */
export const balanceSchema = z.string().regex(/^(?!-0\.00$)-?(0|[1-9]\d{0,19})\.\d{2}$/);
/**
 * A day that may have a statement. Years far from it are mistakes, and not every store can keep
 * them.
 */
export const statementDaySchema = z.iso
  .date()
  .refine((day) => day >= '2000-01-01' && day < '2100-01-01', 'must be a day from 2000 to 2099');

export const statementLineSchema = z.object({
  /** Its place in the statement, from 1. */
  line: z.int().min(1),
  kind: z.enum(lineKinds),
  /** Seen from the account with the provider. */
  direction: z.enum(['in', 'out']),
  /** The leg's id as in reports of the attempt. */
  leg_id: legId,
  /** The leg whose money a return or a chargeback moved, if the provider names it. */
  of_leg_id: legId.optional(),
  /** Absent where the provider does not know whose money it is. */
  operation_id: z.string().max(64).optional(),
  attempt: z.int32().min(1).optional(),
  amount,
  completed_at: z.iso
    .datetime()
    .max(32)
    .refine((time) => time.startsWith('20')),
});
/** One movement of money in a provider's statement, as it is stored. */
export type StoredLine = z.infer<typeof statementLineSchema>;

const of = {
  provider: z.string(),
  account: z.string(),
  currency: z.string(),
  day: statementDaySchema,
};
export type StatementOf = z.infer<z.ZodObject<typeof of>>;

/** The most lines in one event. */
export const mostLinesInEvent = 500;

/** What a person makes of a finding; none of it moves money. */
export const findingDecisions = ['explained', 'provider_error', 'own_error'] as const;
export type FindingDecision = (typeof findingDecisions)[number];

export const statementEventSchemas = {
  /** The next lines of an import. They count once its `StatementImported` is recorded. */
  StatementLinesRead: z.object({
    ...of,
    /** From 1. A later import of the day replaces the one before. */
    import: z.int().min(1),
    lines: z.array(statementLineSchema).max(mostLinesInEvent),
  }),
  /** The end of an import. */
  StatementImported: z.object({
    ...of,
    import: z.int().min(1),
    source: z.enum(['provider', 'file']),
    lines: z.int().min(0),
    total_in: total,
    total_out: total,
    /** What the account with the provider held before and after; absent where it does not say. */
    opening_balance: balanceSchema.optional(),
    closing_balance: balanceSchema.optional(),
    /** SHA-256 over the lines and balances: the same statement again adds nothing. */
    digest: z.string(),
  }),
  /** A person's note on a finding. It closes the finding as long as its amounts stay the same. */
  StatementFindingClosed: z.object({
    ...of,
    finding_id: z.string(),
    finding: z.string(),
    decision: z.enum(findingDecisions),
    note: z.string(),
    /**
     * The finding's amounts: in the statement, and by the operations. Since version
     * 2, and at least one of them; without both it is not known.
     */
    amount: signedTotal.optional(),
    counted: signedTotal.optional(),
  }),
} as const;

export type StatementEvent = EventOf<typeof statementEventSchemas>;

export const statementStreamPrefix = 'statement-';

export const statementStream = ({ provider, account, currency, day }: StatementOf): string =>
  `${statementStreamPrefix}${[provider, account, currency, day].join('.')}`;

export const decodeStatementEvent = createDecoder(statementEventSchemas, 'statement');
