/** The result for each callback that is stored as it was signed. */
export const outcomes = [
  'verified',
  'failed',
  /** Its client was erased, so it is unreadable. */
  'erased',
  /** It was signed with a secret that the auditor was not given. */
  'no_secret',
  /** It is sealed under a master key that the auditor was not given. */
  'no_master_key',
  /** The auditor was given no keys, or the client's key was not found. */
  'not_read',
] as const;
export type ReportOutcome = (typeof outcomes)[number];
