import type { EventEnvelope } from '../../report/findings/report-violation.ts';

/** A leg's amounts are as it came, with what went back of it before the end. */
export const hasGrossLegs = ({ metadata }: Pick<EventEnvelope, 'metadata'>): boolean =>
  metadata.schema_version >= 3;
