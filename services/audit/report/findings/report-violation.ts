import type { StoredEvent, StoredReport } from '#shared/platform/event-store/types.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import type { Report } from './findings.ts';
import type { RuleCode } from '#shared/domain/audit/rules.ts';

/**
 * An event, decoded as far as every judge needs: `data` is parsed JSON, whose schema its judge
 * checks. It is also what projections read.
 */
export type EventEnvelope = StoredEvent & {
  event: RawEvent;
  /** Epoch milliseconds. */
  atMs: number;
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
  /** The service whose key has signed it, if that was verified. */
  signer?: string;
};

/** The event's place in the log, and when the log wrote it. */
export type EventLocation = { revision: number; position: number; atMs: number };

export const toEventLocation = ({
  event: { revision, position },
  atMs,
}: Pick<EventEnvelope, 'event' | 'atMs'>): EventLocation => ({ revision, position, atMs });

/** The same with the event's id, for facts that other events name as their cause. */
export const toCauseLocation = (envelope: Pick<EventEnvelope, 'event' | 'atMs'>) => ({
  ...toEventLocation(envelope),
  eventId: envelope.event.id,
});
export type CauseLocation = ReturnType<typeof toCauseLocation>;

/** Reports what is wrong with an event; undefined: nothing is. */
export type FlagViolation = (rule: RuleCode, message: string | undefined) => void;

/** Reports violations by one event, and of its shop if that is known. */
export const createFlag =
  (
    { report }: { report: Report },
    { event }: { event: Pick<RawEvent, 'stream' | 'revision' | 'position'> },
    shopId?: string,
  ): FlagViolation =>
  (rule, message) => {
    if (message === undefined) return;
    const { stream, revision, position } = event;
    report({ rule, stream, revision, position, message, ...(shopId !== undefined && { shopId }) });
  };

/** Whether an event is in the stream that its content belongs to. */
export function judgeStream(
  context: { report: Report },
  envelope: Pick<EventEnvelope, 'event'>,
  stream: string,
  shopId?: string,
): boolean {
  const belongs = stream === envelope.event.stream;
  if (!belongs)
    createFlag(context, envelope, shopId)('log.wrong_stream', `it belongs to ${stream}`);
  return belongs;
}
