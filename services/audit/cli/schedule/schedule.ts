import { setTimeout as delay } from 'node:timers/promises';
import { scheduledActor } from '#shared/domain/audit/events.ts';
import { dueInMs, type LastRun } from '#shared/domain/audit/due.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { recordAudit } from '#shared/application/audits/record-audit.ts';
import { failedEvent } from '../record.ts';
import { lastScheduledRun, runLimitMs } from './last-run.ts';
import type { ChildEnd } from './run-child.ts';

export type AuditSchedule = {
  store: EventStore;
  logger: Logger;
  everyMs: number;
  signal: AbortSignal;
  /** Runs one audit, which records its own result, and ends it after the time. */
  run(timeoutMs: number): Promise<ChildEnd>;
  /** How often to check the log for whether an audit is due. */
  pollEveryMs?: number;
};

/**
 * Runs an audit whenever one is due by the results in the log, until the signal. If an audit
 * recorded no result, this records the failure, if the log accepts it.
 */
export async function runScheduledAudits(schedule: AuditSchedule): Promise<void> {
  const { store, logger, everyMs, signal, pollEveryMs = 30_000 } = schedule;
  /** The last result in this process, if it could not be recorded. */
  let own: LastRun | undefined;
  const pause = (ms: number) => delay(ms, undefined, { signal }).catch(() => undefined);
  // Not right at the start, when the services are busy.
  await pause(pollEveryMs);
  while (!signal.aborted) {
    let dueMs = pollEveryMs;
    try {
      const recorded = await lastScheduledRun(store);
      const last = own && own.endedMs > (recorded?.endedMs ?? 0) ? own : recorded;
      dueMs = dueInMs(last, everyMs, Date.now());
      if (dueMs === 0) {
        own = { endedMs: Date.now(), failed: true };
        own = { endedMs: Date.now(), failed: !(await runOnce(schedule, recorded)) };
        continue;
      }
    } catch (error) {
      logger.warn({ err: error }, 'could not check whether an audit is due');
    }
    await pause(Math.min(dueMs, pollEveryMs));
  }
}

/** @returns whether it was made and recorded */
async function runOnce(
  { store, logger, signal, run }: AuditSchedule,
  before: Awaited<ReturnType<typeof lastScheduledRun>>,
): Promise<boolean> {
  const startedAt = new Date();
  const { code, output } = await run(runLimitMs(before));
  if (signal.aborted) return false;
  const recorded = await lastScheduledRun(store);
  if (recorded && recorded.revision > (before?.revision ?? -1)) {
    const level = recorded.outcome === 'holds' || recorded.outcome === 'nothing' ? 'info' : 'error';
    logger[level]({ outcome: recorded.outcome, code }, 'an audit ran');
    return !recorded.failed;
  }
  logger.error({ code, reason: output }, 'an audit could not run');
  await recordAudit(store, failedEvent(startedAt, output), scheduledActor);
  return false;
}
