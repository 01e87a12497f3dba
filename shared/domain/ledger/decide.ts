import type { LedgerCommand, LedgerRefusal, Why } from './commands.ts';
import { moneyDirection, fitsMoney } from './direction.ts';
import type { LedgerAccount, Entry, EntryKind } from './events.ts';
import { fromMinor, toMinor, type Minor } from './minor.ts';
import { entryViolations, moved, type Position } from './position.ts';
import { endKey, keysOfCommand, reserveKey } from './reference.ts';

/** What a ledger remembers of a posted entry. */
export type KnownEntry = { kind: EntryKind; revision: number; reserved: Minor };

export type LedgerView = {
  /** Whose ledger this is, and its newest entry. */
  shopId: string;
  currency: string;
  position: Position;
  /** The posted entry of a key; undefined only if it is certain that it does not exist. */
  find(key: string): KnownEntry | undefined;
};

type LedgerDecision =
  | { entry: Entry }
  /** Nothing to post: this entry was posted before, with the same content. */
  | { repeats: KnownEntry }
  /** `balance`: the balance at that time, if it was too low. */
  | { refusal: LedgerRefusal; balance?: string };

/**
 * Decides a command on the current ledger.
 * @throws on amounts that can't be posted: negative ones, or more than is reserved
 */
export function decideEntry(view: LedgerView, command: LedgerCommand): LedgerDecision {
  const closed = closing(view, command);
  if (closed) return closed;
  const [ownKey = ''] =
    command.kind === 'reserve' ? [commandReserveKey(command)] : keysOfCommand(command);
  const existing = view.find(ownKey);
  if (existing) return { repeats: existing };
  const entry = entryFor(view, command);
  if (command.kind === 'reserve' && command.overdraftLimit !== undefined) {
    if (toMinor(entry.balance_after) < -toUnits(command.overdraftLimit))
      return { refusal: 'insufficient_funds', balance: fromMinor(view.position.balance) };
  }
  return { entry };
}

/**
 * A reservation ends once, by capture or release. One that has ended is neither made again nor
 * reported as made.
 */
function closing(view: LedgerView, command: LedgerCommand): LedgerDecision | undefined {
  if (command.kind !== 'reserve' && command.kind !== 'capture' && command.kind !== 'release')
    return undefined;
  const end = view.find(endKey(command.operationId, command.reservation));
  if (!end || end.kind === command.kind) return undefined;
  return { refusal: 'reservation_closed' };
}

function entryFor(view: LedgerView, command: LedgerCommand): Entry {
  const legs = movements(view, command)
    .filter(([, amount]) => amount !== 0n)
    .map(([account, amount]) => ({ account, amount: fromMinor(amount) }));
  const { shopId, currency, position } = view;
  const entry: Entry = {
    shop_id: shopId,
    currency,
    ...reference(command),
    legs,
    balance_after: fromMinor(position.balance + moved({ legs }, 'balance')),
    reserved_after: fromMinor(position.reserved + moved({ legs }, 'reserved')),
    ...command.why,
  };
  const violations = entryViolations(entry);
  if (violations.length > 0)
    throw new Error(`${command.kind} on ledger ${shopId} ${currency}: ${violations.join('; ')}`);
  return entry;
}

type Reference<Kind = EntryKind> = Kind extends EntryKind
  ? Omit<
      Extract<Entry, { kind: Kind }>,
      'shop_id' | 'currency' | 'legs' | 'balance_after' | 'reserved_after' | keyof Why
    >
  : never;

function reference(command: LedgerCommand): Reference {
  switch (command.kind) {
    case 'reserve':
    case 'capture':
    case 'release': {
      const { kind, operationId, reservation } = command;
      return { kind, operation_id: operationId, reservation };
    }
    case 'credit':
      return { kind: 'credit', operation_id: command.operationId };
    case 'adjustment':
      return { kind: 'adjustment', adjustment_id: command.adjustmentId, reason: command.reason };
    case 'suspense': {
      const { kind, operationId, legId } = command;
      return { kind, operation_id: operationId, leg_id: legId, ...returnedLeg(command) };
    }
    case 'resolution': {
      const { kind, operationId, legId, resolution, note } = command;
      return {
        kind,
        operation_id: operationId,
        leg_id: legId,
        ...returnedLeg(command),
        resolution,
        note,
      };
    }
  }
}

const returnedLeg = ({ ofLegId }: { ofLegId?: string | undefined }) =>
  ofLegId !== undefined && { of_leg_id: ofLegId };

/**
 * Credit-natural: money that comes in from a provider is negative on its account and positive on
 * another.
 */
function movements(view: LedgerView, command: LedgerCommand): [LedgerAccount, Minor][] {
  switch (command.kind) {
    case 'reserve': {
      const amount = toUnits(command.amount);
      return [
        ['balance', -amount],
        ['reserved', amount],
      ];
    }
    case 'capture': {
      const [reserved, recorded, commission] = [
        command.reserved,
        command.recorded,
        command.commission,
      ].map(toUnits) as [Minor, Minor, Minor];
      agree(view, command, reserved);
      return [
        ['reserved', -reserved],
        ['provider', recorded],
        ['commission', commission],
        ['balance', reserved - recorded - commission],
      ];
    }
    case 'release': {
      const reservation = view.find(commandReserveKey(command));
      const reserved =
        command.reserved === undefined ? (reservation?.reserved ?? 0n) : toUnits(command.reserved);
      agree(view, command, reserved);
      return [
        ['reserved', -reserved],
        ['balance', reserved],
      ];
    }
    case 'credit': {
      const [recorded, commission] = [toUnits(command.recorded), toUnits(command.commission)];
      if (commission > recorded)
        throw new Error(`a commission of ${command.commission} on ${command.recorded}`);
      return [
        ['provider', -recorded],
        ['balance', recorded - commission],
        ['commission', commission],
      ];
    }
    case 'adjustment': {
      const amount = toMinor(command.amount);
      return [
        ['balance', amount],
        ['external', -amount],
      ];
    }
    case 'suspense': {
      const amount = cameIn(command);
      return [
        ['provider', -amount],
        ['suspense', amount],
      ];
    }
    case 'resolution': {
      const amount = cameIn(command);
      return [
        ['suspense', -amount],
        [resolutionAccount(command), amount],
      ];
    }
  }
}

function cameIn(command: LedgerCommand & { kind: 'suspense' | 'resolution' }): Minor {
  const amount = toMinor(command.amount);
  const size = amount < 0n ? -amount : amount;
  return moneyDirection(command) === 'in' ? size : -size;
}

/**
 * The account of resolved money.
 * @throws when money that came in is charged, or money that went out credited
 */
function resolutionAccount(command: LedgerCommand & { kind: 'resolution' }): LedgerAccount {
  const { resolution } = command;
  if (!fitsMoney(resolution, command))
    throw new Error(
      `${resolution} is no resolution for money that goes ${moneyDirection(command)}`,
    );
  switch (resolution) {
    case 'credit_shop':
    case 'charge_shop':
      return 'balance';
    case 'return':
      return 'provider';
    case 'write_off':
      return 'commission';
  }
}

/** The reserved amount that the caller gives must be the ledger's, if the ledger has the entry. */
function agree(
  view: LedgerView,
  command: LedgerCommand & { kind: 'capture' | 'release' },
  reserved: Minor,
): void {
  const reservation = view.find(commandReserveKey(command));
  if (reservation && reservation.reserved !== reserved) {
    const { kind, operationId } = command;
    throw new Error(
      `${kind} for ${operationId}: ${fromMinor(reservation.reserved)} is reserved, not ${fromMinor(reserved)}`,
    );
  }
}

function commandReserveKey({
  operationId,
  reservation,
}: {
  operationId: string;
  reservation: number;
}): string {
  return reserveKey(operationId, reservation);
}

/** The amount in minor units. @throws when it is negative */
function toUnits(amount: string): Minor {
  const minor = toMinor(amount);
  if (minor < 0n) throw new Error(`a negative amount: ${amount}`);
  return minor;
}
