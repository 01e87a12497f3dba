import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { judgeDuplicates, judgeOutstanding } from '#services/audit/log/pass/judge-end.ts';
import { createPass, type Pass } from '#services/audit/log/pass/log-pass.ts';
import { noRows, type Rows } from '#services/audit/read-models/rows/rows.ts';
import { makeSpillFolder } from '#services/audit/log/spill/temp-folder.ts';
import type { Finding, Report } from '#services/audit/report/findings/findings.ts';
import type { Find } from '#infra/verify/harness/finding.ts';

/** So long after everything came to rest that nothing can be on its way any more. */
const muchLaterMs = 10 * 365 * 24 * 3_600_000;

/**
 * Has the auditor judge the log, by all rules that it has for a log alone (docs/analysts/audit.md).
 * What is owed must be there when everything has come to rest, so many events into it: whoever asks
 * later might have it made.
 * @returns the webhooks that are owed, by the event that owes each
 */
export async function auditLog(
  events: readonly RawEvent[],
  eventsAtRest: number,
  find: Find,
): Promise<Map<string, object>> {
  const owed = new Map<string, object>();
  const spill = makeSpillFolder();
  const report = (finding: Finding) =>
    find(`the auditor: ${finding.rule}`, {
      ...finding,
      events: events
        .filter(({ stream }) => stream === finding.stream)
        .map(({ type, data }) => [type, JSON.parse(data.toString())]),
    });
  const rows: Rows = {
    ...noRows,
    message: (_facts, { event }, { message }) => void owed.set(event.id, message()),
  };
  const pass = createPass({ folder: spill.path, report, rows });
  try {
    for (const [index, event] of events.entries()) {
      if (index === eventsAtRest) judgeOwed(pass, report);
      pass.take(event);
    }
    judgeOwed(pass, report);
    await judgeDuplicates(pass, report, async (position) => events[position - 1]);
    return owed;
  } finally {
    pass.close();
    spill.remove();
  }
}

function judgeOwed(pass: Pass, report: Report): void {
  judgeOutstanding(pass, { report, nowMs: pass.counts().newestMs + muchLaterMs, graceMs: 0 });
}
