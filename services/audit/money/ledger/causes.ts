import type { Entry } from '#shared/domain/ledger/events.ts';
import { hashBody } from '#shared/platform/ids.ts';
import {
  formatExactMinor,
  parseExactMinor,
  type ExactMinor,
} from '../../log/operation/exact-arithmetic.ts';
import { findLedgerCurrency, type OperationFacts } from '../../log/operation/fold.ts';
import { isSameMoney, toLateLeg, type AuditedEntity } from '../../log/entities/entity.ts';
import type { EventEnvelope, FlagViolation } from '../../report/findings/report-violation.ts';
import type { AuditContext } from '../../log/pass/context.ts';
import { deepestFloor } from '../../log/pass/shops.ts';
import type { EntryMoves } from './facts.ts';
import { whyNotRequester } from './judge-adjustment.ts';

type EntryContext<Kind extends Entry['kind'] = Entry['kind']> = {
  entry: Extract<Entry, { kind: Kind }>;
  moves: EntryMoves;
  envelope: EventEnvelope;
  flag: FlagViolation;
};

/**
 * Checks an entry against its cause. The cause is earlier in the log, because the poster has read
 * it.
 */
export function judgeCause(
  context: AuditContext,
  {
    entry,
    moves,
    envelope,
    flag,
    before,
  }: EntryContext & { before: { balance: ExactMinor; reserved: ExactMinor } },
): void {
  if (entry.kind === 'adjustment') return adjustment(context, { entry, moves, envelope, flag });
  const entity = context.entities.of(entry.operation_id);
  const judged = { entry, moves, envelope, flag };
  const { operation } = entity;
  if (!operation) {
    flag('ledger.not_owed', `operation ${entry.operation_id} does not exist`);
    return;
  }
  if (operation.shopId !== entry.shop_id)
    flag('ledger.not_owed', `operation ${entry.operation_id} is of shop ${operation.shopId}`);
  switch (entry.kind) {
    case 'credit':
      return credit(entity, operation, { ...judged, entry });
    case 'reserve':
      return reserve(context, { entity, operation, before }, { ...judged, entry });
    case 'capture':
    case 'release':
      return closing(entity, operation, { ...judged, entry });
    case 'suspense':
      return suspense(entity, operation, { ...judged, entry });
    case 'resolution':
      return resolution(entity, operation, { ...judged, entry });
  }
}

const formatMoves = (moves: EntryMoves): string =>
  [...moves].map(([account, moved]) => `${account} ${formatExactMinor(moved)}`).join(', ') ||
  'nothing';

/** Whether the entry posts exactly these amounts. */
function movesJust(moves: EntryMoves, due: Partial<Record<string, ExactMinor>>): boolean {
  const wanted = Object.entries(due).filter(([, amount]) => amount !== 0n);
  return (
    wanted.length === moves.size &&
    wanted.every(([account, amount]) => moves.get(account as never) === amount)
  );
}

function readFigures({ end }: OperationFacts) {
  if (end?.recorded === undefined) return undefined;
  return {
    recorded: parseExactMinor(end.recorded),
    commission: parseExactMinor(end.commission),
    settlement: parseExactMinor(end.settlement),
    text: `recorded ${end.recorded}, commission ${end.commission}, settlement ${end.settlement}`,
  };
}

function credit(
  entity: AuditedEntity,
  operation: OperationFacts,
  { entry, moves, flag }: EntryContext<'credit'>,
): void {
  const figures = readFigures(operation);
  if (operation.type !== 'payment' || !figures)
    return flag(
      'ledger.not_owed',
      `the ${operation.type} is ${operation.status} and requires no credit`,
    );
  if (entity.credited)
    flag('ledger.posted_twice', `operation ${entry.operation_id} is credited again`);
  entity.credited = true;
  checkCurrency(operation, entry, flag);
  const { recorded, commission, settlement, text } = figures;
  if (!movesJust(moves, { provider: -recorded, commission, balance: settlement }))
    flag('settlement.amounts', `it moves ${formatMoves(moves)}; the terminal status has ${text}`);
}

function checkCurrency(operation: OperationFacts, { currency }: Entry, flag: FlagViolation): void {
  const expected = findLedgerCurrency(operation);
  if (currency !== expected)
    flag('ledger.not_owed', `posted in ${currency}, required in ${expected}`);
}

function reserve(
  { shops }: AuditContext,
  input: { entity: AuditedEntity; operation: OperationFacts; before: { balance: ExactMinor } },
  { entry, moves, flag }: EntryContext<'reserve'>,
): void {
  const { entity, operation, before } = input;
  const { reservation, currency } = entry;
  const requested = operation.reservations.find((each) => each.reservation === reservation);
  if (!requested || requested.currency !== currency)
    return flag('ledger.not_owed', `no event requested reservation ${reservation} in ${currency}`);
  const entries = (entity.reservations[reservation] ??= {});
  if (entries.reserved !== undefined)
    flag('ledger.posted_twice', `reservation ${reservation} is made again`);
  if (entries.ended !== undefined)
    flag('ledger.reservation_end', `reservation ${reservation} is made after its ${entries.ended}`);
  const amount = parseExactMinor(requested.amount);
  if (!movesJust(moves, { balance: -amount, reserved: amount }))
    flag('reservation.amount', `it moves ${formatMoves(moves)}; ${requested.amount} was requested`);
  entries.reserved = formatExactMinor(moves.get('reserved') ?? 0n);
  const shop = shops.find(entry.shop_id);
  const limit = shop && deepestFloor(shop, { currency, sinceMs: operation.admittedMs });
  const after = before.balance + (moves.get('balance') ?? 0n);
  if (limit !== undefined && after < -parseExactMinor(limit))
    flag(
      'ledger.floor',
      `the balance is ${formatExactMinor(after)} with an overdraft limit of ${limit}`,
    );
}

function closing(
  entity: AuditedEntity,
  operation: OperationFacts,
  { entry, moves, flag }: EntryContext<'capture' | 'release'>,
): void {
  const { kind, reservation, currency } = entry;
  const requested = operation.reservations.find((each) => each.reservation === reservation);
  if (!requested || requested.currency !== currency)
    return flag('ledger.not_owed', `no event requested reservation ${reservation} in ${currency}`);
  const entries = (entity.reservations[reservation] ??= {});
  if (entries.ended !== undefined)
    return flag(
      'ledger.reservation_end',
      `reservation ${reservation} already has a ${entries.ended}`,
    );
  entries.ended = kind;
  const inForce = operation.reservations.at(-1) === requested;
  const figures = inForce ? readFigures(operation) : undefined;
  const held = parseExactMinor(entries.reserved ?? '0.00');
  if (-held !== (moves.get('reserved') ?? 0n))
    flag(
      'ledger.reservation_end',
      `it takes ${formatMoves(moves)}; ${formatExactMinor(held)} is reserved`,
    );
  if (kind === 'release') {
    if (inForce && operation.end === undefined)
      flag(
        'ledger.not_owed',
        `reservation ${reservation} is released while the payout is ${operation.status}`,
      );
    if (figures)
      flag('ledger.not_owed', `the payout is ${operation.status} and requires a capture`);
    if (!movesJust(moves, { reserved: -held, balance: held }))
      flag(
        'settlement.amounts',
        `it moves ${formatMoves(moves)}; ${formatExactMinor(held)} is reserved`,
      );
    return;
  }
  if (!figures)
    return flag(
      'ledger.not_owed',
      `the payout is ${operation.status} and requires no capture of reservation ${reservation}`,
    );
  const { recorded, commission, settlement, text } = figures;
  if (
    !movesJust(moves, {
      reserved: -held,
      provider: recorded,
      commission,
      balance: held - settlement,
    })
  )
    flag(
      'settlement.amounts',
      `it moves ${formatMoves(moves)}; ${formatExactMinor(held)} is reserved, the terminal status has ${text}`,
    );
}

/**
 * Late money from the gateway's side: in for a payment, out for a payout, and the reverse for
 * returns.
 */
const inward = (
  { type }: OperationFacts,
  { amount, ofLegId }: { amount: string; ofLegId?: string | undefined },
): ExactMinor => {
  const inflow = type === 'payment' ? parseExactMinor(amount) : -parseExactMinor(amount);
  return ofLegId === undefined ? inflow : -inflow;
};

function suspense(
  entity: AuditedEntity,
  operation: OperationFacts,
  { entry, moves, flag }: EntryContext<'suspense'>,
): void {
  const { leg_id: legId, currency } = entry;
  const lateLeg = entity.late.find(isSameMoney(toLateLeg(entry)));
  if (!lateLeg) return flag('ledger.not_owed', `no late money of leg ${legId} was reported`);
  if (entity.suspense.some(isSameMoney(lateLeg)))
    return flag('ledger.posted_twice', `late money of leg ${legId} is already in suspense`);
  const { amount: text, ofLegId, orOfLegId } = lateLeg;
  entity.suspense.push({
    legId,
    ...(ofLegId !== undefined && { ofLegId }),
    ...(orOfLegId !== undefined && { orOfLegId }),
    amount: text,
    currency,
  });
  const amount = inward(operation, lateLeg);
  if (currency !== lateLeg.currency || !movesJust(moves, { provider: -amount, suspense: amount }))
    flag(
      'late.suspense_amounts',
      `it moves ${formatMoves(moves)} ${currency}; ${lateLeg.amount} ${lateLeg.currency} was late`,
    );
}

function resolution(
  entity: AuditedEntity,
  operation: OperationFacts,
  { entry, moves, flag }: EntryContext<'resolution'>,
): void {
  const { leg_id: legId, resolution: decision, currency } = entry;
  const held = entity.suspense.find(isSameMoney(toLateLeg(entry)));
  if (!held || held.currency !== currency)
    return flag('late.resolution', `no money of leg ${legId} is in suspense in ${currency}`);
  if (held.resolved)
    return flag('ledger.posted_twice', `late money of leg ${legId} is resolved again`);
  held.resolved = true;
  const accounts = {
    credit_shop: 'balance',
    charge_shop: 'balance',
    return: 'provider',
    write_off: 'commission',
  } as const;
  const amount = inward(operation, held);
  const wrong = amount > 0n ? 'charge_shop' : 'credit_shop';
  if (decision === wrong || !movesJust(moves, { suspense: -amount, [accounts[decision]]: amount }))
    flag(
      'late.resolution',
      `${decision} moves ${formatMoves(moves)}; ${held.amount} of a ${operation.type} is in suspense`,
    );
}

function adjustment(
  { entities }: AuditContext,
  { entry, moves, envelope, flag }: EntryContext<'adjustment'>,
): void {
  const { shop_id: shopId, adjustment_id: id, currency } = entry;
  const { adjustment: requested } = entities.of(`adjustment-${hashBody([shopId, id])}`);
  if (!requested)
    return flag('ledger.not_owed', `no event requested adjustment ${JSON.stringify(id)}`);
  if (requested.entryRevision !== undefined)
    return flag(
      'ledger.posted_twice',
      `adjustment ${JSON.stringify(id)} is posted at revision ${requested.entryRevision}`,
    );
  requested.entryRevision = envelope.event.revision;
  flag('adjustment.amounts', whyNotRequester(requested, envelope));
  if (entry.reason !== requested.reason)
    flag(
      'adjustment.amounts',
      `its reason is ${JSON.stringify(entry.reason)}, and ${JSON.stringify(requested.reason)} was requested`,
    );
  const amount = parseExactMinor(requested.amount);
  if (currency !== requested.currency || !movesJust(moves, { balance: amount, external: -amount }))
    flag(
      'adjustment.amounts',
      `it moves ${formatMoves(moves)} ${currency}; ${requested.amount} ${requested.currency} was requested`,
    );
}
