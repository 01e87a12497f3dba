import type { Report } from '../../report/findings/findings.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import type { Pass } from './log-pass.ts';

type EndOptions = {
  report: Report;
  /** The time as of which the books are checked, in epoch milliseconds. */
  nowMs: number;
  /** Events that have been due for less than this are in flight. */
  graceMs: number;
  /** The shop, if the audit is about one. */
  shopId?: string | undefined;
};

/**
 * Reports due and missing events once the log is read; later deadlines, such as an end after its
 * window, are not reported.
 * @returns how much is still in flight
 */
export function judgeOutstanding(
  pass: Pass,
  { report, nowMs, graceMs, shopId }: EndOptions,
): number {
  let inFlight = 0;
  for (const { sinceMs, ...finding } of pass.outstanding()) {
    if (sinceMs + graceMs < nowMs) report(finding);
    else if (sinceMs <= nowMs && (shopId === undefined || finding.shopId === shopId)) inFlight += 1;
  }
  return inFlight;
}

/** Further findings of this kind add nothing. */
const mostDuplicates = 100;

/**
 * Reports events whose id was used before. Each is read from the log, because only positions are
 * stored.
 */
export async function judgeDuplicates(
  pass: Pass,
  report: Report,
  locate: (position: number) => Promise<Pick<RawEvent, 'stream' | 'revision'> | undefined>,
): Promise<void> {
  let reportedCount = 0;
  for (const { id, position, first } of pass.duplicates()) {
    if ((reportedCount += 1) > mostDuplicates) return;
    const [event, before] = [await locate(position), await locate(first)];
    report({
      rule: 'log.duplicate_event_id',
      stream: event?.stream ?? 'unknown',
      ...(event && { revision: event.revision }),
      position,
      message: `the id ${id} is also at position ${first}, ${before?.stream ?? 'unknown'} revision ${before?.revision}`,
    });
  }
}
