import type { Authority } from '../../authority/authority.ts';
import type { PayoutFiles } from '../../authority/payout-files.ts';
import type { createOperationNotes } from './operation-notes.ts';
import type { Shops } from './shops.ts';
import type { Switches } from './switches.ts';
import type { Answers } from './answers.ts';
import type { DayLimits } from './day-limits.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import type { Report } from '../../report/findings/findings.ts';
import type { Reports } from '../callbacks/reports.ts';
import type { Rows } from '../../read-models/rows/record-rows.ts';
import type { Statements } from '../../money/statements/statements.ts';
import type { Trees } from '../../money/trees/trees.ts';

/** What all judges share. */
export type Context = {
  entities: EntityStore;
  shops: Shops;
  authority: Authority;
  rows: Rows;
  /** Such as payouts that cost more than agreed: the books are right, but people want to know. */
  operationNotes: ReturnType<typeof createOperationNotes>;
  /** The providers that operators switched off. */
  switches: Switches;
  /** The stored callbacks of providers. */
  reports: Reports;
  providerStatements: Statements;
  /** The trees of shops' entries, and their signed roots. */
  trees: Trees;
  /** What routes took on a day. */
  dayLimits: DayLimits;
  /** Providers' responses, which are unsigned. */
  answers: Answers;
  payoutFiles: PayoutFiles;
  report: Report;
};
