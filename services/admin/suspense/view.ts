import type { SuspenseRow } from '#projections/suspense/table.ts';

/** A late fact as operators see it, and what came of it (contract §4, §6). */
export function viewSuspense({ revision: _revision, position: _position, ...row }: SuspenseRow) {
  const { kind, currency, amount, leg_id, completed_at, reported_status, operation_status, ...about } = row;
  return {
    ...about,
    kind,
    ...(kind === 'late_money'
      ? { currency, amount, leg_id, completed_at: completed_at?.toISOString() }
      : { reported_status, operation_status }),
    received_at: row.received_at.toISOString(),
    resolved_by: row.resolved_by?.replace(/^operator:/, '') ?? null,
    resolved_at: row.resolved_at?.toISOString() ?? null,
  };
}
