import { applyReport } from '../reports/apply-report.ts';
import type { ProviderReport } from '../reports/report.ts';
import type { OperationState } from '../state.ts';
import { accepted, admitted, given, started } from './given.ts';

/** A payment that its provider accepted until half past twelve. */
export const live = () =>
  given(admitted(), started(), accepted(1, { expires_at: '2026-01-31T12:30:00.000Z' }));

/** Applies a report on the first attempt. */
export const report =
  (status: ProviderReport['status'], ...legs: ProviderReport['legs']) =>
  (state: OperationState) =>
    applyReport(state, { attempt: 1, status, legs });
