import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { judgeIds, judgeOutstanding } from '#services/audit/log/pass/judge-end.ts';
import { Pass } from '#services/audit/log/pass/log-pass.ts';
import type { Rows } from '#services/audit/read-models/rows/record-rows.ts';
import { makeSpillFolder } from '#services/audit/log/spill/temp-folder.ts';
import type { AuditFinding, Report } from '#services/audit/report/findings/findings.ts';
import type { Find } from '#infra/verify/harness/tests/finding.ts';

/** So long after the end that nothing can be in flight. */
const muchLaterMs = 10 * 365 * 24 * 3_600_000;

/**
 * Audits the log by all rules that need only a log (docs/analysts/audit.md). Everything due must
 * exist when the schedule has come to rest, at that event: a later audit might find it done by
 * then.
 * @returns the required webhooks by event
 */
export async function auditLog(
  events: readonly RawEvent[],
  eventsAtRest: number,
  find: Find,
): Promise<Map<string, object>> {
  const expectedWebhooks = new Map<string, object>();
  const spill = makeSpillFolder();
  const report = (finding: AuditFinding) =>
    find(`the auditor: ${finding.rule}`, {
      ...finding,
      events: events
        .filter(({ stream }) => stream === finding.stream)
        .map(({ type, data }) => [type, JSON.parse(data.toString())]),
    });
  const rows: Rows = {
    message: (_facts, { event }, { message }) => void expectedWebhooks.set(event.id, message()),
  };
  const pass = new Pass({ folder: spill.path, report, rows });
  try {
    for (const [index, event] of events.entries()) {
      if (index === eventsAtRest) judgeOwed(pass, report);
      pass.take(event);
    }
    judgeOwed(pass, report);
    const locate = async (position: number) => events[position - 1];
    await judgeIds(pass, report, locate);
    return expectedWebhooks;
  } finally {
    pass.close();
    spill.remove();
  }
}

function judgeOwed(pass: Pass, report: Report): void {
  judgeOutstanding(pass, { report, nowMs: pass.counts().newestMs + muchLaterMs, graceMs: 0 });
}
