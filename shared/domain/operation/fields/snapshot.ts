import { figuresFor } from '../../commission.ts';
import { bankName, isMethod, shownNumber } from '../../methods/index.ts';
import { sum, zero } from '../../money.ts';
import { toDeclineReason, type DeclineReason } from '../ends/decline-reason.ts';
import type {
  ManualCheckReason,
  OpenedFields,
  Recipient,
  RequestTexts,
  Requisites,
  StoredRequisites,
} from '../events.ts';
import { currentRoute, isTerminal, exchangeRate, type Operation } from '../state.ts';

/** An absent text is null in a row. */
type TextsOrNull = {
  [Name in keyof RequestTexts]:
    | RequestTexts[Name]
    | (undefined extends RequestTexts[Name] ? null : never);
};

/**
 * What the fields of the operation object are computed from. The folded state and a row of the read
 * model both give it, so that each rule of chapter 5 exists once.
 */
export type Snapshot = {
  /** Of a row: the row itself. */
  request: TextsOrNull;
  /** As far as they were decrypted. */
  opened: OpenedFields;
  operation_id: string;
  merchant_operation_id: string;
  type: Operation['type'];
  /** `creating` too, which only operators see. */
  status: Operation['status'];
  method: string;
  currency: string;
  expected_amount: string;
  actual_amount: string;
  fx_source?: string | null | undefined;
  fx_rate?: string | null | undefined;
  recorded_currency?: string | null | undefined;
  recorded_amount?: string | null | undefined;
  settlement_currency: string;
  settlement_amount?: string | null | undefined;
  commission_amount?: string | null | undefined;
  confirmation_required: boolean | null;
  expires_at?: string | undefined;
  manual_check_reason?: ManualCheckReason | null | undefined;
  decline_reason?: DeclineReason | null | undefined;
  /** Requisites of a payment, destination of a payout, as far as they were decrypted. */
  recipient: Partial<Requisites>;
  /** When the create was admitted; unknown to the state. */
  created_at?: string | undefined;
  /** All that went back, before the end and after it; unknown to the state. */
  returned_amount?: string | undefined;
};

/** An operation's personal data as far as it was decrypted; undefined if it is erased. */
export type OpenedRecipients = {
  destination?: Recipient;
  requisites?: Recipient;
  fields?: OpenedFields;
};

/** The snapshot of a folded operation. */
export function snapshotState(operation: Operation, opened: OpenedRecipients = {}): Snapshot {
  const { request, accepted, settled, declineCause } = operation;
  const conversion = currentRoute(operation)?.conversion;
  const settlement_currency = conversion?.settlement_currency ?? request.currency;
  return {
    request,
    opened: opened.fields ?? {},
    operation_id: operation.operationId,
    merchant_operation_id: operation.merchantOperationId,
    type: operation.type,
    status: operation.status,
    method: request.method,
    currency: request.currency,
    expected_amount: request.amount,
    actual_amount: settled?.actual_amount ?? sum(operation.legs.map((leg) => leg.amount)),
    fx_source: conversion?.fx_source,
    fx_rate: conversion && exchangeRate(operation),
    recorded_currency: settlement_currency,
    recorded_amount: settled?.recorded_amount,
    settlement_currency,
    ...settlementFigures(operation),
    confirmation_required: accepted?.confirmationRequired ?? false,
    expires_at: accepted?.expiresAt,
    manual_check_reason: operation.manualCheckReason,
    decline_reason: declineCause && toDeclineReason(declineCause),
    recipient:
      operation.type === 'payout'
        ? payoutDestination(request, opened.destination)
        : mergeOpened(accepted?.requisites, opened.requisites),
  };
}

/** Expected figures before the end, settled ones after it. */
function settlementFigures(operation: Operation) {
  if (isTerminal(operation.status)) {
    const { settlement_amount = zero, commission_amount = zero } = operation.settled ?? {};
    return { settlement_amount, commission_amount };
  }
  const route = currentRoute(operation);
  if (!route) return {};
  const { settlement_amount, commission_amount } = figuresFor(operation.request.amount, {
    type: operation.type,
    currency: route.conversion?.settlement_currency ?? operation.request.currency,
    commission: route.commission,
    fxRate: exchangeRate(operation),
  });
  return { settlement_amount, commission_amount };
}

/** A payout's destination, a card number masked to the first six and last four digits (R5.7). */
function payoutDestination(
  { method, destination: stored }: Operation['request'],
  opened: Recipient | undefined,
): Partial<Requisites> {
  if (!stored) return {};
  const { number, name, bankname } = mergeOpened(stored, opened);
  const bank = bankname && isMethod(method) ? bankName(method, bankname) : undefined;
  return {
    ...(number !== undefined && { number: shownNumber(method, number) }),
    ...(name !== undefined && { name }),
    ...(bank !== undefined && { bankname, bankname_details: bank }),
  };
}

/** The plain parts, with the decrypted ones in place of the sealed ones. */
function mergeOpened(
  stored: StoredRequisites | undefined,
  opened: Recipient | undefined,
): Partial<Requisites> {
  if (!stored) return {};
  if (!('sealed' in stored)) return stored;
  const { sealed: _, ...bank } = stored;
  return { ...opened, ...bank };
}
