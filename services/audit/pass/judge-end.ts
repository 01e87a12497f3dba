import type { Report } from '../findings/findings.ts';
import type { LogEvent } from '../log/log-event.ts';
import type { Pass } from './pass.ts';

type EndOptions = {
  report: Report;
  /** The moment as of which the books are judged, epoch milliseconds. */
  nowMs: number;
  /** What was owed for less than that is still on its way. */
  graceMs: number;
  /** Whose books they are, where they are one shop's. */
  shopId?: string | undefined;
};

/**
 * Names what is owed and not there, once the log is read. What is owed only later, as an end by the
 * end of a window, is not owed yet. @returns how much is still on its way
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

/** More findings of one kind say nothing new. */
const mostDuplicates = 100;

/** Names events whose id stood before; each is looked up, because only places are kept of them. */
export async function judgeDuplicates(
  pass: Pass,
  report: Report,
  locate: (position: number) => Promise<Pick<LogEvent, 'stream' | 'revision'> | undefined>,
): Promise<void> {
  let told = 0;
  for (const { id, position, first } of pass.duplicates()) {
    if ((told += 1) > mostDuplicates) return;
    const [event, before] = [await locate(position), await locate(first)];
    report({
      rule: 'log.duplicate_event_id',
      stream: event?.stream ?? 'unknown',
      ...(event && { revision: event.revision }),
      position,
      message: `the id ${id} stands at position ${first} too, ${before?.stream ?? 'unknown'} revision ${before?.revision}`,
    });
  }
}
