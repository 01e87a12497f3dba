import { z } from 'zod';
import { createDecoder, type EventOf } from '../decode.ts';

/** The records of audits (R18.12), all in one stream. They move no money. */
export const auditStream = 'audit';

/** The actor of scheduled audits; one that is run by hand has `auditor:<name>`. */
export const scheduledActor = 'service:audit';

/** `nothing`: the log was empty, so no rule was checked. */
const outcomes = ['holds', 'violated', 'incomplete', 'nothing'] as const;
export type AuditOutcome = (typeof outcomes)[number];

/** How many findings a record lists. It counts all of them. */
export const mostRecorded = 50;

const count = z.int().min(0);
const sum = z.string().regex(/^(?!-0\.00$)-?(0|[1-9]\d*)\.\d{2}$/);
/** The accounts of all ledgers of a currency; they add up to zero. */
const moneySchema = z.object({
  currency: z.string(),
  /** What providers received and paid out, by all entries. */
  in: sum,
  out: sum,
  balance: sum,
  reserved: sum,
  commission: sum,
  provider: sum,
  suspense: sum,
  external: sum,
});
export type MoneyTotals = z.infer<typeof moneySchema>;

const checkpoint = z.object({ position: z.string(), events: count, hash: z.string() });

export const auditEventSchemas = {
  AuditRan: z.object({
    started_at: z.iso.datetime(),
    seconds: z.number().min(0),
    outcome: z.enum(outcomes),
    /** The last position read, and the time as of which the books were checked. */
    position: z.string(),
    as_of: z.iso.datetime().nullable(),
    /** Set if only one shop's books were audited. */
    audited_shop_id: z.string().optional(),
    events: count,
    operations: count,
    entries: count,
    /** Operations without a terminal status. Since version 2, like the next two. */
    open_operations: count.optional(),
    money: z.array(moneySchema).optional(),
    callbacks: z.object({ stored: count, verified: count, failed: count }).optional(),
    journal: z.object({ events: count, hash: z.string() }),
    /** The position of the first event whose signature was verified, if any. Since version 3. */
    signed_from: z.string().optional(),
    /**
     * The rules, each with how many subjects it was checked on. With none, the rule was not tested.
     */
    rules: z.array(z.object({ rule: z.string(), looked_at: count, violations: count })),
    /** The first findings, without their texts, which may quote an event. */
    findings: z.array(
      z.object({
        rule: z.string(),
        stream: z.string(),
        revision: count.optional(),
        position: z.string().optional(),
        shop_id: z.string().optional(),
      }),
    ),
    not_compared: z.array(z.string()),
    /** The given checkpoint, and whether the log up to it is unchanged. */
    since: checkpoint.extend({ created_at: z.string(), holds: z.boolean() }).optional(),
    checkpoint: checkpoint.extend({ created_at: z.string(), signed_with: z.string() }).optional(),
  }),
  /** The audit failed, or was interrupted. */
  AuditFailed: z.object({
    started_at: z.iso.datetime(),
    seconds: z.number().min(0),
    reason: z.string(),
  }),
} as const;

export type AuditEvent = EventOf<typeof auditEventSchemas>;
export type AuditRan = Extract<AuditEvent, { type: 'AuditRan' }>['data'];

export const decodeAuditEvent = createDecoder(auditEventSchemas, 'audit');
