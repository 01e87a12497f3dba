import { createFindings, type AuditFinding } from '../report/findings/findings.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import type { CheckCounts } from '../log/pass/counts.ts';
import { Pass } from '../log/pass/log-pass.ts';
import { judgeIds, judgeOutstanding } from '../log/pass/judge-end.ts';
import type { ReportFigures } from '../log/callbacks/reports.ts';
import type { ReportKeys } from '../log/callbacks/verify-report.ts';
import type { LogKey } from '#shared/platform/event-store/signature.ts';
import { testLogKeys } from './signed-log.ts';
import { makeSpillFolder } from '../log/spill/temp-folder.ts';

type AuditedLog = {
  findings: readonly AuditFinding[];
  inFlight: number;
  notes: readonly string[];
  reports: ReportFigures;
  checked: CheckCounts;
};

/**
 * Audits a log in memory without other stores. Due steps are judged long after the log's end,
 * unless a time is passed.
 */
export async function auditLog(
  events: readonly RawEvent[],
  {
    inMemory,
    nowMs,
    reportKeys,
    verifiesSignatures = true,
    logKeys = testLogKeys,
    shopId,
  }: {
    inMemory?: number;
    nowMs?: number;
    reportKeys?: ReportKeys;
    /** With the keys of the services of tests. */
    verifiesSignatures?: boolean;
    logKeys?: readonly LogKey[];
    shopId?: string;
  } = {},
): Promise<AuditedLog> {
  const spill = makeSpillFolder();
  const findings = createFindings();
  const pass = new Pass({
    folder: spill.path,
    report: findings.report,
    reportKeys,
    logKeys: verifiesSignatures ? logKeys : undefined,
    shopId,
    inMemory,
  });
  const judged = () => ({
    findings: findings.listed(),
    reports: pass.reports(),
    checked: pass.checked(),
  });
  try {
    for (const event of events) {
      pass.take(event);
      if (pass.endedAt()) return { ...judged(), inFlight: 0, notes: [] };
    }
    const inFlight = judgeOutstanding(pass, {
      report: findings.report,
      nowMs: nowMs ?? Date.parse('2036-01-31T12:00:00.000Z'),
      graceMs: 30_000,
    });
    pass.end();
    const locate = async (position: number) => events.find((event) => event.position === position);
    await judgeIds(pass, findings.report, locate);
    return { ...judged(), inFlight, notes: pass.notes() };
  } finally {
    pass.close();
    spill.remove();
  }
}
