import { rmSync } from 'node:fs';
import { auditFindingsCsv } from '../report/csv.ts';
import { failureHtml, reportHtml } from '../report/html.ts';
import type { AuditRun } from '../report/run.ts';
import { traceFindings } from '../report/trace-findings.ts';
import type { RawLog } from '#shared/platform/event-store/reading/raw-log.ts';
import type { AuditArguments } from './arguments.ts';
import { writeAtomically } from './checkpoints.ts';

/** Writes the requested files. @throws if one can't be written */
export async function writeReport(
  { reportFile, findingsFile, language }: AuditArguments,
  run: AuditRun,
  log: Pick<RawLog, 'at'>,
): Promise<void> {
  if (reportFile === undefined && findingsFile === undefined) return;
  const findings = await traceFindings(log, run.findings.listed());
  if (reportFile !== undefined) writeAtomically(reportFile, reportHtml(run, findings, language));
  if (findingsFile !== undefined)
    writeAtomically(findingsFile, auditFindingsCsv(findings, language));
}

/** Replaces the reports of an earlier audit, so that they are not taken for this one's. */
export function writeFailure(
  { reportFile, findingsFile, language }: AuditArguments,
  failed: { startedAt: Date; reason: string },
): void {
  if (reportFile !== undefined) writeAtomically(reportFile, failureHtml(failed, language));
  if (findingsFile !== undefined) rmSync(findingsFile, { force: true });
}
