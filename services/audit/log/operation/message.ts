import { bankName, isMethod } from '#shared/domain/methods/index.ts';
import { formatExactMinor, exactFigures, parseExactMinor, sumAmounts } from './exact-arithmetic.ts';
import { findLedgerCurrency, findFxRate, auditedRoute, type OperationFacts } from './fold.ts';

/**
 * The webhook that is due for an operation now, by R14.2 and chapter 5, built by the auditor's own
 * code. Webhooks carry no `number` and no `name`.
 */
export function expectedMessage(
  facts: OperationFacts,
  event: { id: string; atMs: number },
): object {
  const { type, status } = facts;
  return {
    id: event.id,
    type: `${type}.${status}`,
    timestamp: new Date(event.atMs).toISOString(),
    sequence: facts.webhooks,
    data: { shop_id: facts.shopId, operation: operationShown(facts) },
  };
}

/** The webhook that is due for money returned after the end (R14.20). */
export function expectedReturnMessage(
  facts: OperationFacts,
  event: { id: string; atMs: number },
  input: { kind: string; before: number; returned: object },
): object {
  const { kind, before, returned } = input;
  const sequence = facts.webhooks + before + 1;
  const { shopId: shop_id, type } = facts;
  const data = { shop_id, operation: operationShown(facts), returned };
  return { ...expectedMessage(facts, event), type: `${type}.${kind}`, sequence, data };
}

/** The webhook that is due for an endpoint's trouble, by R14.19. */
export const expectedNotice = (data: object, event: { id: string; atMs: number }): object => ({
  id: event.id,
  type: 'endpoint.disabled',
  timestamp: new Date(event.atMs).toISOString(),
  sequence: 1,
  data,
});

function operationShown(facts: OperationFacts): object {
  const { status, end, accepted, type } = facts;
  const route = auditedRoute(facts);
  const currency = findLedgerCurrency(facts);
  const actual =
    end?.actual ?? formatExactMinor(sumAmounts(facts.legs.map(({ amount }) => amount)));
  const rate = route?.settlementCurrency === undefined ? undefined : findFxRate(facts);
  const figures = end ?? expectedFigures(facts);
  const visible = status !== 'cancelled';
  return {
    operation_id: facts.operationId,
    type,
    status,
    method: facts.method,
    expected_amount: facts.amount,
    actual_amount: actual,
    currency: facts.currency,
    ...(route?.fxSource !== undefined &&
      (rate !== undefined || end === undefined) && { fx_source: route.fxSource }),
    ...(rate !== undefined && { fx_rate: rate }),
    ...(end?.recorded !== undefined &&
      parseExactMinor(actual) !== 0n && {
        recorded_currency: currency,
        recorded_amount: end.recorded,
      }),
    ...(figures && {
      settlement_amount: figures.settlement,
      commission_amount: figures.commission,
    }),
    settlement_currency: currency,
    ...(visible &&
      accepted?.confirmationRequired === true && {
        external_confirmation: { required: true, methods: ['receipt'] },
      }),
    ...(type === 'payout' ? toBankFields(facts) : visible && defined(accepted?.requisites)),
    ...(visible && accepted?.expiresAt !== undefined && { expires_at: accepted.expiresAt }),
    ...(status === 'manual_check' && {
      manual_check_reason: facts.manualCheckReason ?? 'potential_fake',
    }),
    ...(end?.declineReason !== undefined && { decline_reason: end.declineReason }),
    // As they are stored: a recorded message has the encrypted ones sealed.
    ...facts.copied,
    merchant_operation_id: facts.merchantOperationId,
    created_at: new Date(facts.admittedMs).toISOString(),
  };
}

/** The figures of the requested amount on a route; undefined if no route was tried. */
export function expectedFigures(
  facts: OperationFacts,
): { settlement: string; commission: string } | undefined {
  const route = auditedRoute(facts);
  if (!route) return undefined;
  const { settlement, commission } = exactFigures(parseExactMinor(facts.amount), {
    type: facts.type,
    currency: findLedgerCurrency(facts),
    commission: route.commission,
    fxRate: findFxRate(facts),
  });
  return { settlement: formatExactMinor(settlement), commission: formatExactMinor(commission) };
}

/** A payout's bank, if its method names one. */
function toBankFields({ destination, method }: OperationFacts): object {
  const bankname = destination?.bankname;
  const details =
    bankname !== undefined && isMethod(method) ? bankName(method, bankname) : undefined;
  return details === undefined ? {} : { bankname, bankname_details: details };
}

function defined(object: object | undefined): object {
  return Object.fromEntries(
    Object.entries(object ?? {}).filter(([, value]) => value !== undefined),
  );
}
