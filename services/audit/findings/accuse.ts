import type { KeptReport } from '#shared/platform/event-store/types.ts';
import type { LogEvent } from '../log/log-event.ts';
import type { Report } from './findings.ts';
import type { RuleCode } from '#shared/domain/audit/rules.ts';

/** An event with what every judge asks of it. */
export type Seen = {
  event: LogEvent;
  /** Epoch milliseconds. */
  atMs: number;
  type: string;
  /** As JSON; its judge checks the schema. */
  data: unknown;
  actor: string;
  /**
   * The API key that a merchant acted with, or the token of an operator; older events don't say.
   */
  keyId?: string;
  tokenId?: string;
  /** The request that it came of. */
  correlationId?: string;
  /** The event that it came of, where it names one. */
  causationId?: string;
  /** The callback that it came of, where it is kept with it. */
  report?: KeptReport;
  /** The version is that of the event's shape. */
  metadata: { schema_version: number };
};

/** Reports what is wrong with an event. */
export function accuse(
  { report }: { report: Report },
  { event }: { event: Pick<LogEvent, 'stream' | 'revision' | 'position'> },
  { rule, message, shopId }: { rule: RuleCode; message: string; shopId?: string | undefined },
): void {
  const { stream, revision, position } = event;
  report({ rule, stream, revision, position, message, ...(shopId !== undefined && { shopId }) });
}
