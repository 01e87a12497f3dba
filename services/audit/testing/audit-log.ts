import { createFindings, type Finding } from '../findings/findings.ts';
import type { LogEvent } from '../log/log-event.ts';
import { createPass } from '../pass/pass.ts';
import { judgeDuplicates, judgeOutstanding } from '../pass/judge-end.ts';
import type { ReportFigures } from '../reports/reports.ts';
import type { ReportKeys } from '../reports/verify-report.ts';
import { noRows, type Rows } from '../rows/rows.ts';
import { makeSpillFolder } from '../spill/temp-folder.ts';

export type AuditedLog = {
  findings: readonly Finding[];
  inFlight: number;
  notes: readonly string[];
  reports: ReportFigures;
};

/**
 * Audits a log in memory by itself; what it owes is judged long after its end, unless a time is
 * given.
 */
export async function auditLog(
  events: readonly LogEvent[],
  {
    inMemory,
    rows = noRows,
    nowMs,
    reportKeys,
  }: { inMemory?: number; rows?: Rows; nowMs?: number; reportKeys?: ReportKeys } = {},
): Promise<AuditedLog> {
  const spill = makeSpillFolder();
  const findings = createFindings();
  const pass = createPass({
    folder: spill.path,
    report: findings.report,
    rows,
    reportKeys,
    ...(inMemory !== undefined && { inMemory }),
  });
  try {
    for (const event of events) {
      pass.take(event);
      if (pass.endedAt())
        return { findings: findings.kept(), inFlight: 0, notes: [], reports: pass.reports() };
    }
    const inFlight = judgeOutstanding(pass, {
      report: findings.report,
      nowMs: nowMs ?? Date.parse('2036-01-31T12:00:00.000Z'),
      graceMs: 30_000,
    });
    await judgeDuplicates(pass, findings.report, async (position) =>
      events.find((event) => event.position === position),
    );
    return { findings: findings.kept(), inFlight, notes: pass.notes(), reports: pass.reports() };
  } finally {
    pass.close();
    spill.remove();
  }
}
