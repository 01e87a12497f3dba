import type { AuditResult } from '../audit.ts';
import type { Findings } from './findings/findings.ts';
import type { KnownCheckpoint } from '../log/chain/history.ts';

export type Timing = { seconds: number; peakBytes: number };

/** Which log it was: its host and its first event. */
export type LogIdentity = { host: string; first?: { id: string; at: string } };

/** The checkpoints of a run: the one it started from, the one it wrote, and earlier ones. */
export type RunCheckpoints = {
  since?: KnownCheckpoint & { holds: boolean };
  written?: KnownCheckpoint;
  /** All of the folder, oldest first; without a folder, just those two. */
  history: readonly KnownCheckpoint[];
  /** How many older ones of the folder are not listed. */
  older: number;
};

/** One completed audit. */
export type AuditRun = {
  startedAt: Date;
  timing: Timing;
  log: LogIdentity;
  result: AuditResult;
  findings: Findings;
  checkpoints: RunCheckpoints;
};
