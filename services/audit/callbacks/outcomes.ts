/** What became of each callback that the log keeps as it was signed. */
export const outcomes = [
  'verified',
  'failed',
  /** Its client was erased: nobody can read it any more. */
  'erased',
  /** It was signed with a secret that the auditor did not give. */
  'no_secret',
  /** It is under a master key that the auditor did not give. */
  'no_master_key',
  /** The auditor gave no keys, or its client's key is nowhere. */
  'not_read',
] as const;
export type ReportOutcome = (typeof outcomes)[number];
