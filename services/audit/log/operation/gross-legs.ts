import type { EventEnvelope } from '../../report/findings/report-violation.ts';

/** Whether a leg's amounts include what was returned of it before the end. */
export const hasGrossLegs = ({ metadata }: Pick<EventEnvelope, 'metadata'>): boolean =>
  metadata.schema_version >= 3;
