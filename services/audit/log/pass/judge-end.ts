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

/** Further findings of one kind add nothing. */
const mostReported = 100;

type Locate = (position: number) => Promise<Pick<RawEvent, 'stream' | 'revision'> | undefined>;

/**
 * Reports events whose id was used before. Each is read from the log, because only positions are
 * stored.
 */
async function judgeDuplicates(pass: Pass, report: Report, locate: Locate): Promise<void> {
  let reportedCount = 0;
  for (const { id, position, first } of pass.duplicates()) {
    if ((reportedCount += 1) > mostReported) return;
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

/** Reports events that name a cause which the log does not have before them. */
async function judgeCauses(pass: Pass, report: Report, locate: Locate): Promise<void> {
  let reportedCount = 0;
  for (const position of pass.unknownCauses()) {
    if ((reportedCount += 1) > mostReported) return;
    const event = await locate(position);
    report({
      rule: 'log.metadata',
      stream: event?.stream ?? 'unknown',
      ...(event && { revision: event.revision }),
      position,
      message: 'it names a causing event that the log does not have before it',
    });
  }
}

/** Reports events that issue a key, token, link or secret that an event before has issued. */
async function judgeSecrets(pass: Pass, report: Report, locate: Locate): Promise<void> {
  let reportedCount = 0;
  for (const { position, first } of pass.repeatedSecrets()) {
    if ((reportedCount += 1) > mostReported) return;
    const [event, before] = [await locate(position), await locate(first)];
    report({
      rule: 'setup.secrets',
      stream: event?.stream ?? 'unknown',
      ...(event && { revision: event.revision }),
      position,
      message: `what it issues was issued at position ${first}, ${before?.stream ?? 'unknown'} revision ${before?.revision}`,
    });
  }
}

/**
 * Checks what must be unique once the log is read: each event's id, also as the cause of others,
 * and what events issue.
 */
export async function judgeIds(pass: Pass, report: Report, locate: Locate): Promise<void> {
  await judgeDuplicates(pass, report, locate);
  await judgeCauses(pass, report, locate);
  await judgeSecrets(pass, report, locate);
}
