import type { SuspenseRow } from '#projections/suspense/table.ts';

/** A late fact as operators see it, with its decision (R13.10). */
export function viewSuspense({ revision: _revision, position: _position, ...row }: SuspenseRow) {
  const { kind, currency, leg_id, provider_leg_id, of_leg_id, beyond_amount, ...more } = row;
  const { amount, completed_at, ...others } = more;
  const { counted_amount, reported_amount, reported_status, operation_status, ...about } = others;
  const legs = { leg_id, provider_leg_id };
  const money = { currency, amount, ...legs, completed_at: completed_at?.toISOString() };
  const back = { ...money, of_leg_id, beyond_amount };
  const difference = { ...money, of_leg_id, counted_amount, reported_amount };
  const facts = {
    late_money: money,
    payout_returned: back,
    payment_charged_back: back,
    transfer_corrected: difference,
    return_corrected: difference,
    approved_money_missing: difference,
    late_correction: { currency, ...legs, of_leg_id, counted_amount, reported_amount },
    overcharge: { currency, agreed_amount: counted_amount, charged_amount: reported_amount },
    late_status: { reported_status, operation_status },
  };
  return {
    ...about,
    kind,
    ...facts[kind],
    received_at: row.received_at.toISOString(),
    resolved_by: row.resolved_by?.replace(/^operator:/, '') ?? null,
    resolved_at: row.resolved_at?.toISOString() ?? null,
  };
}
