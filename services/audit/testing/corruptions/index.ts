import { ruleCodes, type RuleCode } from '#shared/domain/audit/rules.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { auditedSoFar } from '../figures.ts';
import { createLog } from '../log.ts';
import { validLog } from '../valid-log.ts';
import { authority } from './authority.ts';
import type { Corruption, Corruptions } from './changes.ts';
import { late } from './late.ts';
import { ledger } from './ledger.ts';
import { logOrder } from './log.ts';
import { operations } from './operations.ts';
import { payoutFiles } from './payout-files.ts';
import { personalData } from './personal-data.ts';
import { receiptsAndRoutes } from './receipts-and-routes.ts';
import { reports } from './reports.ts';
import { signatures } from './signatures.ts';
import { stated } from './stated.ts';
import { statements } from './statements.ts';
import { transitions } from './transitions.ts';
import { trees } from './trees.ts';

const byRule: Corruptions = {
  ...logOrder,
  ...operations,
  ...transitions,
  ...ledger,
  ...late,
  ...receiptsAndRoutes,
  ...authority,
  ...personalData,
  ...reports,
  ...signatures,
  ...stated,
  ...statements,
  ...payoutFiles,
  ...trees,
};

/** Corruptions of a valid log, each with the audit's rule that it breaks. */
export const corruptions = Object.entries(byRule).flatMap(([rule, byTitle]) =>
  Object.entries(byTitle).map(([what, corruption]) => ({
    rule: rule as RuleCode,
    what,
    corruption,
  })),
);

/** The rules that a log alone can break. */
export const logRules = ruleCodes.filter(
  (code) => !/^(?:webhook|read_model|receipt_file|checkpoint)\./.test(code),
);

/** A valid log, with one corruption. */
export function writeLog(corruption: Corruption = () => undefined): RawEvent[] {
  const events = validLog();
  if (typeof corruption === 'function') corruption(events);
  const { append, events: written } = createLog();
  for (const event of events.values())
    append(event.type === 'AuditRan' ? auditedSoFar(event, written) : event);
  if (typeof corruption !== 'function') corruption.written(written);
  return written;
}
