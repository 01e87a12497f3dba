import { figuresFor } from '../commission.ts';
import { bankName, isMethod, shownNumber } from '../methods/index.ts';
import { isZero, sum, zero } from '../money.ts';
import type {
  ManualCheckReason,
  Metadata,
  Recipient,
  Requisites,
  StoredRequisites,
} from './events.ts';
import { declineReasonOf, type DeclineReason } from './ends/decline-reason.ts';
import { currentRoute, isTerminal, rateOf, type Operation, type Status } from './state.ts';

/** The operation object (R5.1) without the fields that only one endpoint adds. */
export type OperationView = {
  operation_id: string;
  type: 'payment' | 'payout';
  status: Status;
  method: string;
  expected_amount: string;
  actual_amount: string;
  currency: string;
  fx_source?: string;
  fx_rate?: string;
  recorded_currency?: string;
  recorded_amount?: string;
  settlement_amount?: string;
  settlement_currency?: string;
  commission_amount?: string;
  external_confirmation?: { required: boolean; methods: string[] };
  number?: string;
  name?: string | undefined;
  bankname?: string | undefined;
  bankname_details?: string | undefined;
  transfer_purpose?: string | undefined;
  expires_at?: string;
  manual_check_reason?: ManualCheckReason;
  metadata?: Metadata;
  decline_reason?: DeclineReason;
};

/** An operation's personal data as far as it was decrypted; undefined if it is erased. */
export type OpenedRecipients = {
  destination?: Recipient;
  requisites?: Recipient;
  metadata?: Metadata;
};

/**
 * What a merchant sees of an operation, field by field as its state allows (R5.2 to R5.13).
 * Nothing of an operation that is still being created: it has no status to show yet. `number`,
 * `name` and `metadata` only as far as they were opened.
 */
export function viewOperation(
  operation: Operation,
  opened: OpenedRecipients = {},
): OperationView | undefined {
  const { status, request } = operation;
  if (status === 'creating') return undefined;
  const route = currentRoute(operation);
  const actual = operation.settled?.actual_amount ?? sum(operation.legs.map((leg) => leg.amount));
  const ledgerCurrency = route?.conversion?.settlement_currency ?? request.currency;
  const fxRate = route?.conversion && rateOf(operation);
  const shown = status !== 'cancelled';
  return {
    operation_id: operation.operationId,
    type: operation.type,
    status,
    method: request.method,
    expected_amount: request.amount,
    actual_amount: actual,
    currency: request.currency,
    // After the end the source is shown only with a rate: a route that was never quoted has none.
    ...(route?.conversion &&
      (fxRate !== undefined || !isTerminal(status)) && { fx_source: route.conversion.fx_source }),
    ...(fxRate !== undefined && { fx_rate: fxRate }),
    ...(operation.settled?.recorded_amount !== undefined &&
      !isZero(actual) && {
        recorded_currency: ledgerCurrency,
        recorded_amount: operation.settled.recorded_amount,
      }),
    ...settlement(operation),
    settlement_currency: ledgerCurrency,
    ...(shown &&
      operation.accepted?.confirmationRequired && {
        external_confirmation: { required: true, methods: ['receipt'] },
      }),
    ...(operation.type === 'payout'
      ? payoutDestination(operation, opened.destination)
      : shown && operation.accepted?.requisites
        ? readable(operation.accepted.requisites, opened.requisites)
        : {}),
    ...(shown &&
      operation.accepted?.expiresAt !== undefined && { expires_at: operation.accepted.expiresAt }),
    // Without a reason from the provider it is the more serious one (R5.9).
    ...(status === 'manual_check' && {
      manual_check_reason: operation.manualCheckReason ?? 'potential_fake',
    }),
    ...(opened.metadata && { metadata: opened.metadata }),
    ...(operation.declineCause && { decline_reason: declineReasonOf(operation.declineCause) }),
  };
}

/** Expected figures before the end, settled ones after it. */
function settlement(operation: Operation) {
  if (isTerminal(operation.status)) {
    const { settlement_amount = zero, commission_amount = zero } = operation.settled ?? {};
    return { settlement_amount, commission_amount };
  }
  const route = currentRoute(operation);
  if (!route) return {};
  const { settlement_amount, commission_amount } = figuresFor(operation.request.amount, {
    type: operation.type,
    commission: route.commission,
    fxRate: rateOf(operation),
  });
  return { settlement_amount, commission_amount };
}

/**
 * A payout's own destination, its card number masked to the first six and last four digits (R5.7).
 */
function payoutDestination(
  operation: Operation,
  opened: Recipient | undefined,
): Partial<Requisites> {
  const { method } = operation.request;
  if (!operation.request.destination) return {};
  const destination = readable(operation.request.destination, opened);
  const { number, name } = destination;
  const bank =
    destination.bankname && isMethod(method) ? bankName(method, destination.bankname) : undefined;
  return {
    ...(number !== undefined && { number: shownNumber(method, number) }),
    ...(name !== undefined && { name }),
    ...(bank !== undefined && { bankname: destination.bankname, bankname_details: bank }),
  };
}

/** The plain parts with the decrypted ones in place of the sealed ones. */
function readable(stored: StoredRequisites, opened: Recipient | undefined): Partial<Requisites> {
  if (!('sealed' in stored)) return stored;
  const { sealed: _, ...bank } = stored;
  return { ...opened, ...bank };
}
