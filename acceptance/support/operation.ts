import { figures, parse } from './decimal.ts';
import type { Json } from './answer.ts';
import type { RouteRequest } from './routes.ts';

/** The request that created an operation, and the route that accepted it; undefined if none did. */
export type Facts = {
  readonly type: 'payment' | 'payout';
  readonly merchantOperationId: string;
  readonly method: string;
  readonly amount: string;
  readonly currency: string;
  readonly route: RouteRequest | undefined;
  readonly number?: string | undefined;
  readonly name?: string | undefined;
  readonly bankname?: string | undefined;
};

/** Where an operation object was seen. */
export type Source = 'create' | 'link' | 'confirm' | 'state' | 'webhook' | 'admin';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const money = /^(0|[1-9]\d*)\.\d{2}$/;
const statuses = {
  payment:
    'pending awaiting_confirmation manual_check completed partially_completed declined expired cancelled',
  payout: 'pending completed partially_completed declined',
};
const declineReasons = (
  'no_route routes_full provider_unavailable provider_refused acceptance_timeout insufficient_funds ' +
  'receipt_rejected provider_declined closed_by_operator'
).split(' ');
const open = ['pending', 'awaiting_confirmation', 'manual_check'];
const destination = ['number', 'name', 'bankname', 'bankname_details', 'transfer_purpose'];

/** Collects the requirements that are not met. */
export function checklist() {
  const faults: string[] = [];
  const must = (holds: boolean, what: string) => {
    if (!holds) faults.push(what);
  };
  return { faults, must };
}

export const isTerminalStatus = (status: string): boolean => !open.includes(status);

/**
 * Every way in which an operation object breaks R5.1 to R5.13 and R11.3 to R11.7 in the
 * state that it is in; none for a good one.
 */
export function operationFaults(view: Json, facts: Facts, source: Source): string[] {
  const { faults, must } = checklist();
  const has = (field: string) => Object.hasOwn(view, field);
  const { type } = facts;
  const { status } = view;

  must(uuid.test(view.operation_id), 'operation_id is a UUID');
  must(view.type === type, `type is ${type}`);
  must(statuses[type].split(' ').includes(status), `${status} is a status of a ${type}`);
  must(view.method === facts.method, 'method is echoed');
  must(view.expected_amount === facts.amount, 'expected_amount mirrors the amount');
  must(money.test(view.actual_amount), 'actual_amount is a decimal of scale 2');
  must(view.currency === facts.currency, "currency is the request's");

  faults.push(...moneyFaults(view, facts));
  faults.push(...destinationFaults(view, facts, source));

  faults.push(...confirmationFaults(view, facts));

  // payment_url
  if (source !== 'admin')
    must(has('payment_url') === (source === 'link'), 'payment_url on link answers alone');
  if (source === 'link') {
    const url = view.payment_url;
    must(
      url === null || url.endsWith(`/${view.operation_id}`),
      'payment_url is null or <host>/<operation_id>',
    );
    if (status === 'cancelled') must(url === null, 'payment_url of a cancelled payment is null');
  }
  if (source === 'webhook' || source === 'state') {
    must(view.merchant_operation_id === facts.merchantOperationId, 'merchant_operation_id');
    must(typeof view.client_id === 'string', 'client_id');
    must(timestamp.test(view.created_at), 'created_at is RFC 3339');
    if (has('returned_amount'))
      must(money.test(view.returned_amount), 'returned_amount is a decimal of scale 2');
  }
  if (source === 'webhook') {
    must(!has('receipts'), 'no receipts');
  } else if (source === 'state') {
    faults.push(...receiptFaults(view));
  } else if (source !== 'admin') {
    must(!has('receipts') && !has('receipt_evidence_status'), 'receipts on reads alone');
  }
  return faults;
}

/** Of external_confirmation, expires_at and manual_check_reason. */
function confirmationFaults(view: Json, { type, route }: Facts): string[] {
  const { faults, must } = checklist();
  const has = (field: string) => Object.hasOwn(view, field);
  const { status } = view;
  const needsReceipt = type === 'payment' && route?.requires_receipt === true;
  if (status === 'awaiting_confirmation') {
    must(needsReceipt, 'awaiting_confirmation is for routes that require a receipt');
    must(has('external_confirmation'), 'external_confirmation is there while one is awaited');
  }
  if (!needsReceipt || status === 'cancelled')
    must(!has('external_confirmation'), 'no external_confirmation');
  if (has('external_confirmation')) {
    const { required, methods } = view.external_confirmation;
    must(typeof required === 'boolean', 'external_confirmation.required is a boolean');
    must(JSON.stringify(methods) === '["receipt"]', 'external_confirmation.methods is ["receipt"]');
  }
  const expires = type === 'payment' && route?.options?.['expires_in_s'] !== undefined;
  if (!expires || status === 'cancelled') must(!has('expires_at'), 'no expires_at');
  else if (open.includes(status)) must(has('expires_at'), 'expires_at is there');
  if (has('expires_at')) must(timestamp.test(view.expires_at), 'expires_at is RFC 3339');
  must(
    has('manual_check_reason') === (status === 'manual_check'),
    'manual_check_reason in manual_check alone',
  );
  must(has('decline_reason') === (status === 'declined'), 'decline_reason when declined alone');
  if (has('decline_reason'))
    must(declineReasons.includes(view.decline_reason), 'decline_reason is known');
  if (has('manual_check_reason')) {
    must(
      ['potential_fake', 'not_terminal'].includes(view.manual_check_reason),
      'manual_check_reason is known',
    );
  }
  return faults;
}

function moneyFaults(view: Json, { type, route, currency, amount }: Facts): string[] {
  const { faults, must } = checklist();
  const has = (field: string) => Object.hasOwn(view, field);
  const { status } = view;
  const terminal = isTerminalStatus(status);
  const hasMoney = view.actual_amount !== '0.00';

  if (terminal)
    must(
      hasMoney === ['completed', 'partially_completed'].includes(status),
      'money as the status requires',
    );
  if (status === 'completed')
    must(parse(view.actual_amount) >= parse(amount), 'completed with all of the money');
  if (status === 'partially_completed')
    must(parse(view.actual_amount) < parse(amount), 'partial with less');

  const conversion = route?.conversion;
  must(has('fx_rate') === has('fx_source'), 'fx_rate and fx_source together');
  if (conversion === undefined) must(!has('fx_rate'), 'no fx_rate without conversion');
  else if (!['declined', 'cancelled'].includes(status))
    must(has('fx_rate'), 'fx_rate on a converting route');
  if (has('fx_rate')) {
    must(/^\d+\.\d{6}$/.test(view.fx_rate), 'fx_rate has six decimals');
    const quote = route?.options?.['fx_rate'];
    must(quote === undefined || view.fx_rate === quote, 'fx_rate is the quote');
    must(view.fx_source === conversion?.fx_source, "fx_source is the route's");
  }

  const recorded = terminal && hasMoney;
  must(
    has('recorded_amount') === recorded,
    'recorded_amount at a terminal status with money alone',
  );
  must(
    has('recorded_currency') === recorded,
    'recorded_currency at a terminal status with money alone',
  );
  must(has('settlement_amount'), 'settlement_amount');
  must(has('settlement_currency'), 'settlement_currency');
  must(has('commission_amount'), 'commission_amount');
  if (terminal && !hasMoney) {
    must(view.settlement_amount === '0.00', 'settlement_amount without money is 0.00');
    must(view.commission_amount === '0.00', 'commission_amount without money is 0.00');
  } else if (route !== undefined) {
    const ledger = conversion?.settlement_currency ?? currency;
    const fxRate = conversion === undefined ? undefined : view.fx_rate;
    const right = figures(type, terminal ? view.actual_amount : amount, {
      fxRate,
      commission: route.commission,
    });
    must(view.settlement_amount === right.settlement, `settlement_amount is ${right.settlement}`);
    must(view.commission_amount === right.commission, `commission_amount is ${right.commission}`);
    must(view.settlement_currency === ledger, `settlement_currency is ${ledger}`);
    if (recorded) {
      must(view.recorded_amount === right.recorded, `recorded_amount is ${right.recorded}`);
      must(view.recorded_currency === ledger, `recorded_currency is ${ledger}`);
    }
  }
  return faults;
}

function destinationFaults(view: Json, facts: Facts, source: Source): string[] {
  const { faults, must } = checklist();
  const has = (field: string) => Object.hasOwn(view, field);
  const { status } = view;
  must(has('bankname') === has('bankname_details'), 'bankname and bankname_details together');
  const purpose = facts.type === 'payment' && facts.route?.options?.['transfer_purpose'] === true;
  if (purpose && status !== 'cancelled')
    must(/^SBX[0-9A-F]{12}$/.test(view.transfer_purpose), 'transfer_purpose');
  else must(!has('transfer_purpose'), 'no transfer_purpose');
  if (source === 'webhook') must(!has('number') && !has('name'), 'no number and no name');
  if (facts.type === 'payment') {
    if (status === 'cancelled')
      must(!destination.some(has), 'no requisites of a cancelled payment');
    const payable = status === 'pending' || status === 'awaiting_confirmation';
    if (payable && source !== 'webhook') must(has('number'), 'requisites');
    if (payable && facts.method === 'WT_RUB_PHONE')
      must(has('bankname'), 'bankname of a phone number');
    if (has('number') && source !== 'admin')
      must(!view.number.includes('*'), 'requisites are not masked');
    return faults;
  }
  if (source === 'webhook') return faults;
  must(view.name === (facts.name || 'аноним'), 'name or аноним');
  if (facts.method === 'WT_RUB_PHONE') {
    must(view.bankname === facts.bankname, 'bankname is echoed');
    must(
      typeof view.bankname_details === 'string' && view.bankname_details !== '',
      'bankname_details',
    );
  } else {
    const digits = (facts.number ?? '').replaceAll(/[ -]/g, '');
    must(!has('bankname'), 'no bankname of a card');
    must(has('number'), 'the masked number');
    const shown = String(view.number);
    must(
      shown.startsWith(digits.slice(0, 6)) && shown.endsWith(digits.slice(-4)),
      'first six and last four digits',
    );
    must(!/\d/.test(shown.slice(6, -4)), 'no digit between the first six and the last four');
  }
  return faults;
}

function receiptFaults(view: Json): string[] {
  const { faults, must } = checklist();
  const { status, receipts, receipt_evidence_status: evidence } = view;
  must(Array.isArray(receipts), 'receipts is an array');
  must(
    ['not_ready', 'partial', 'complete', 'unavailable'].includes(evidence),
    'receipt_evidence_status is known',
  );
  if (!Array.isArray(receipts)) return faults;
  if (!isTerminalStatus(status))
    must(evidence === 'not_ready' && receipts.length === 0, 'no receipts while it is open');
  else if (view.actual_amount === '0.00') {
    must(evidence === 'complete' && receipts.length === 0, 'complete and empty without money');
  } else must(evidence !== 'not_ready', 'evidence after the end');
  if (evidence === 'unavailable') must(receipts.length === 0, 'no partial list while unavailable');
  for (const receipt of receipts) {
    must(
      Object.keys(receipt).toSorted().join() === 'amount,completed_at,id,receipt_url',
      'fields of a receipt',
    );
    must(uuid.test(receipt.id), 'receipt id is a UUID');
    must(typeof receipt.amount === 'number', 'receipt amount is a number');
    must(timestamp.test(receipt.completed_at), 'completed_at is RFC 3339');
    const url = receipt.receipt_url;
    must(url === null || /^https?:\/\//.test(url), 'receipt_url is null or absolute');
  }
  const order = receipts.map(({ completed_at, id }: Json) => `${completed_at} ${id}`);
  must(order.join() === order.toSorted().join(), 'ordered by completed_at, then id');
  if ((evidence === 'complete' || evidence === 'partial') && receipts.length > 0) {
    const total = receipts.reduce(
      (cents: number, { amount }: Json) => cents + Math.round(amount * 100),
      0,
    );
    must(
      BigInt(total) === parse(view.actual_amount) || total > 1e13,
      'items add up to actual_amount',
    );
  }
  if (evidence === 'complete')
    must((view.actual_amount === '0.00') === (receipts.length === 0), 'receipts for money');
  return faults;
}
