import type { StoredReport } from '#shared/platform/event-store/types.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import type { Report } from './findings.ts';
import type { RuleCode } from '#shared/domain/audit/rules.ts';

/** An event, decoded as far as every judge needs. */
export type EventEnvelope = {
  event: RawEvent;
  /** Epoch milliseconds. */
  atMs: number;
  type: string;
  /** Parsed JSON; its judge checks the schema. */
  data: unknown;
  actor: string;
  /** The id of the merchant's API key or of the operator's token; older events have none. */
  keyId?: string;
  tokenId?: string;
  /** The issuers of the links that a member's session goes back to, besides the member. */
  linkIssuers?: readonly string[];
  /** The request that caused it. */
  correlationId?: string;
  /** The event that caused it, if it names one. */
  causationId?: string;
  /** The callback that caused it, if it is stored with the event. */
  report?: StoredReport;
  metadata: { schema_version: number };
};

/** Reports a violation by the event that is being checked. */
export type FlagViolation = (rule: RuleCode, message: string) => void;

/** Reports what is wrong with an event. */
export function reportViolation(
  { report }: { report: Report },
  { event }: { event: Pick<RawEvent, 'stream' | 'revision' | 'position'> },
  { rule, message, shopId }: { rule: RuleCode; message: string; shopId?: string | undefined },
): void {
  const { stream, revision, position } = event;
  report({ rule, stream, revision, position, message, ...(shopId !== undefined && { shopId }) });
}
