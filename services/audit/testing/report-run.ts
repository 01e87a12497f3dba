import type { AuditResult } from '../audit.ts';
import { createFindings, type AuditFinding } from '../report/findings/findings.ts';
import type { AuditRun } from '../report/run.ts';

export const emptyAuditResult: AuditResult = {
  events: 0,
  operations: 0,
  entries: 0,
  ledgers: 0,
  openOperations: 0,
  money: [],
  position: 0,
  newestMs: 0,
  asOfMs: 0,
  chain: { events: 0, hash: 'f'.repeat(64) },
  checked: { events: 0 },
  unverifiedSignatures: 0,
  reports: {
    verified: 0,
    failed: 0,
    erased: 0,
    no_secret: 0,
    no_master_key: 0,
    not_read: 0,
    stored: 0,
    tried: false,
    missingSecrets: [],
  },
  inFlight: 0,
  notes: ['the log alone: read models and webhooks were not compared'],
};

/** A run of the audit with these results, for reports. */
export function runOf(result: Partial<AuditResult>, found: readonly AuditFinding[] = []): AuditRun {
  const findings = createFindings();
  for (const each of found) findings.report(each);
  return {
    startedAt: new Date('2026-01-31T03:15:00.000Z'),
    timing: { seconds: 1.5, peakBytes: 1 },
    log: { host: '127.0.0.1:2113', first: { id: 'e-1', at: '2026-01-01T00:00:00.000Z' } },
    result: { ...emptyAuditResult, ...result },
    findings,
    checkpoints: { history: [], older: 0 },
  };
}
