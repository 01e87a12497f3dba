import {
  decodeLedgerEvent,
  ledgerStream,
  type LedgerAccount,
  type Entry,
} from '#shared/domain/ledger/events.ts';
import {
  formatExactMinor,
  isWholeIn,
  parseExactMinor,
  type ExactMinor,
} from '../../log/operation/exact-arithmetic.ts';
import {
  createFlag,
  type EventEnvelope,
  type FlagViolation,
} from '../../report/findings/report-violation.ts';
import type { AuditContext } from '../../log/pass/context.ts';
import { judgeCause } from './causes.ts';
import { noMoney, type LedgerFacts, type EntryMoves } from './facts.ts';
import { judgeWhy } from './judge-reasons.ts';

export type Books = ReturnType<typeof createBooks>;

const accountsOf: Record<Entry['kind'], readonly LedgerAccount[]> = {
  reserve: ['balance', 'reserved'],
  capture: ['reserved', 'provider', 'commission', 'balance'],
  release: ['reserved', 'balance'],
  credit: ['provider', 'balance', 'commission'],
  adjustment: ['balance', 'external'],
  suspense: ['provider', 'suspense'],
  resolution: ['suspense', 'balance', 'provider', 'commission'],
};

export function createBooks() {
  const ledgers = new Map<string, LedgerFacts>();
  return {
    take: (envelope: EventEnvelope, context: AuditContext): void => {
      const entry = decodeLedgerEvent(envelope).data;
      const { stream, revision, position } = envelope.event;
      const { shop_id: shopId, currency } = entry;
      const report = createFlag(context, envelope, shopId);
      const flag: FlagViolation = (rule, message) =>
        report(rule, message && `${entry.kind}: ${message}`);
      const own = ledgerStream(shopId, currency);
      if (own !== stream) flag('log.wrong_stream', `it belongs to ${own}`);
      const moves = sumMoves(entry, flag);
      let ledger = ledgers.get(stream);
      if (!ledger) {
        const sums = { balance: 0n, reserved: 0n, off: 0n, received: 0n, paid: 0n };
        const times = { firstMs: envelope.atMs, newestMs: 0 };
        const totals = { ...noMoney };
        ledger = { shopId, currency, revision, position, ...sums, totals, ...times };
        ledgers.set(stream, ledger);
      }
      const before = { balance: ledger.balance, reserved: ledger.reserved };
      addUp(ledger, { entry, moves, flag });
      Object.assign(ledger, { revision, newestMs: envelope.atMs, position });
      context.balances.note(stream, ledger.balance, envelope.atMs);
      judgeCause(context, { entry, moves, envelope, flag, before });
      const entity = 'operation_id' in entry ? context.entities.of(entry.operation_id) : undefined;
      judgeWhy(entity, { entry, envelope, flag });
      context.providerStatements.entry(entity?.operation, { entry, moves, envelope });
      const name = entity?.operation?.merchantOperationId;
      const leaf = context.trees.add({ entry, moves, envelope }, name);
      context.rows.entry?.({ entry, moves, envelope, ledger, leaf }, entity);
    },
    all: () => ledgers.values(),
  };
}

/** The sums that an entry posts to each account, checked against the accounts of its kind. */
function sumMoves({ kind, legs, currency }: Entry, flag: FlagViolation): EntryMoves {
  const moves = new Map<LedgerAccount, ExactMinor>();
  for (const { account, amount } of legs) {
    const moved = parseExactMinor(amount);
    if (moves.has(account)) flag('ledger.legs', `the account ${account} has two legs`);
    if (!isWholeIn(currency, moved)) flag('ledger.legs', `${amount} is no amount in ${currency}`);
    if (moved === 0n) flag('ledger.legs', `the leg on ${account} is zero`);
    if (!accountsOf[kind].includes(account)) flag('ledger.legs', `${amount} moves on ${account}`);
    moves.set(account, (moves.get(account) ?? 0n) + moved);
  }
  return moves;
}

function addUp(
  ledger: LedgerFacts,
  { entry, moves, flag }: { entry: Entry; moves: EntryMoves; flag: FlagViolation },
): void {
  let sum = 0n;
  for (const [account, moved] of moves) {
    ledger.totals[account] += moved;
    sum += moved;
  }
  const ofProvider = moves.get('provider') ?? 0n;
  if (ofProvider < 0n) ledger.received -= ofProvider;
  else ledger.paid += ofProvider;
  if (sum !== 0n) flag('ledger.unbalanced', `the legs add up to ${formatExactMinor(sum)}`);
  ledger.off += sum;
  // Reported once, at the first wrong entry, not for every later one.
  if (sum !== 0n && ledger.off !== 0n)
    flag('ledger.totals', `the accounts of the ledger add up to ${formatExactMinor(ledger.off)}`);
  for (const account of ['balance', 'reserved'] as const) {
    const stated = parseExactMinor(entry[`${account}_after`]);
    const folded = ledger[account] + (moves.get(account) ?? 0n);
    if (stated !== folded)
      flag(
        'ledger.position',
        `${account}_after is ${formatExactMinor(stated)}, the entries add up to ${formatExactMinor(folded)}`,
      );
    ledger[account] = stated;
  }
  if (ledger.reserved < 0n)
    flag('ledger.reserved_negative', `reserved_after is ${formatExactMinor(ledger.reserved)}`);
}
