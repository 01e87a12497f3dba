import { rmSync } from 'node:fs';
import { findingsCsv } from '../report/csv.ts';
import { failureHtml, reportHtml } from '../report/html.ts';
import type { Run } from '../report/run.ts';
import { traceFindings } from '../report/trace-findings.ts';
import type { RawLog } from '../log/read-log.ts';
import type { Arguments } from './arguments.ts';
import { writeWhole } from './checkpoints.ts';

/** Writes the files that were asked for. @throws if one can't be written */
export async function writeReport(
  { reportFile, findingsFile, language }: Arguments,
  run: Run,
  log: Pick<RawLog, 'at'>,
): Promise<void> {
  if (reportFile === undefined && findingsFile === undefined) return;
  const findings = await traceFindings(log, run.findings.kept());
  if (reportFile !== undefined) writeWhole(reportFile, reportHtml(run, findings, language));
  if (findingsFile !== undefined) writeWhole(findingsFile, findingsCsv(findings, language));
}

/** No file of an earlier audit is left where one of this was to be. */
export function writeFailure(
  { reportFile, findingsFile, language }: Arguments,
  failed: { startedAt: Date; reason: string },
): void {
  if (reportFile !== undefined) writeWhole(reportFile, failureHtml(failed, language));
  if (findingsFile !== undefined) rmSync(findingsFile, { force: true });
}
