import type { AuditResult } from '../audit.ts';
import type { Findings } from '../findings/findings.ts';
import type { KnownCheckpoint } from '../chain/history.ts';

export type Timing = { seconds: number; peakBytes: number };

/** Which log it was: where it is, and the event that it begins with. */
export type LogIdentity = { host: string; first?: { id: string; at: string } };

/** The checkpoints of a run: the one it began from, the one it left, and those before them. */
export type Checkpoints = {
  since?: KnownCheckpoint & { holds: boolean };
  written?: KnownCheckpoint;
  /** All of the folder, the oldest first; if there is none, those two. */
  history: readonly KnownCheckpoint[];
  /** Older ones of the folder, that are not listed. */
  older: number;
};

/** One audit that came to its end. */
export type Run = {
  startedAt: Date;
  timing: Timing;
  log: LogIdentity;
  result: AuditResult;
  findings: Findings;
  checkpoints: Checkpoints;
};
