import type { LoggedEntry } from '#projections/ledger/posted-entry.ts';
import {
  journalEntryRow,
  ledgerAfter,
  readLedgerEntry,
  reservationAfter,
} from '#projections/ledger/project.ts';
import type { LedgerRow } from '#projections/ledger/tables.ts';
import {
  emptyTree,
  ledgerOperationRow,
  rowOfTree,
  treeAfter,
  treeCheckpointRow,
  treeRequested,
  treeSigned,
  type BatchTree,
} from '#projections/ledger/tree.ts';
import {
  decodeCheckpointRequest,
  treeOrigin,
  type LedgerCheckpoint,
} from '#shared/domain/ledger/checkpoints.ts';
import type { LedgerAccount, Entry } from '#shared/domain/ledger/events.ts';
import type { AuditedEntity } from '../../log/entities/entity.ts';
import { exactText, formatExactMinor } from '../../log/operation/exact-arithmetic.ts';
import type { LedgerFacts, EntryMoves } from '../../money/ledger/facts.ts';
import type { EntryTree, PostedLeaf } from '../../money/trees/entry-tree.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import { projectOrSkip } from './put-row.ts';
import { withDates, type Put, type Row } from './tables.ts';

export type RecordedEntry = {
  entry: Entry;
  moves: EntryMoves;
  envelope: EventEnvelope;
  ledger: LedgerFacts;
  leaf: PostedLeaf;
};

/** The rows of ledgers, which stay in memory, of their entries, reservations and trees. */
export function createLedgerRows(put: Put) {
  const ledgers = new Map<string, LedgerRow>();
  const trees = new Map<string, BatchTree>();
  const readTree = ({ shop_id: shopId, currency }: { shop_id: string; currency: string }) =>
    trees.get(treeOrigin(shopId, currency)) ?? emptyTree(shopId, currency);
  const putTree = (after: BatchTree, audited: EntryTree, position: number) => {
    trees.set(treeOrigin(after.shop_id, after.currency), after);
    const frontier = audited.frontier.hashes.map((hash) => hash.toString('base64url')).join(' ');
    put('ledger_trees', rowOfTree(after), { own: { frontier }, position });
  };
  return {
    operation: (envelope: EventEnvelope): void => {
      const row = projectOrSkip(() => ledgerOperationRow(envelope));
      if (row) put('ledger_operations', row, { position: envelope.event.position });
    },
    entry: (posted: RecordedEntry, entity: AuditedEntity | undefined): void => {
      const { envelope, leaf } = posted;
      const { stream, position } = envelope.event;
      const projected = projectOrSkip(() => {
        const logged = readLedgerEntry(envelope);
        const ofTree = treeAfter(readTree(logged.entry), logged, leaf.merchantOperationId);
        const ledger = ledgerAfter(ledgers.get(stream), logged);
        return { logged, ledger, ofTree, entry: journalEntryRow(logged, ofTree.leaf) };
      });
      if (!projected) return;
      const { logged, ledger, ofTree } = projected;
      ledgers.set(stream, ledger);
      put('journal_entries', projected.entry, { own: entryMoney(posted), position });
      put('ledgers', ledger, { own: ledgerMoney(posted), position });
      putTree(ofTree.tree, leaf.tree, position);
      for (const node of ofTree.nodes) put('ledger_tree_nodes', node, { position });
      putReservation(put, entity, { posted, logged });
    },
    /** A checkpoint of the ledger is requested. */
    request: (envelope: EventEnvelope, audited: EntryTree): void => {
      const { data } = decodeCheckpointRequest(envelope);
      putTree(treeRequested(readTree(data), data), audited, envelope.event.position);
    },
    checkpoint: (data: LedgerCheckpoint, audited: EntryTree, envelope: EventEnvelope): void => {
      const { position } = envelope.event;
      putTree(treeSigned(readTree(data), data), audited, position);
      put('ledger_checkpoints', treeCheckpointRow(data, envelope), { position });
    },
  };
}

const amountMoved = (moves: EntryMoves, account: LedgerAccount): string =>
  formatExactMinor(moves.get(account) ?? 0n);

const entryMoney = ({ entry, moves, leaf }: RecordedEntry): Row => ({
  to_balance: amountMoved(moves, 'balance'),
  to_reserved: amountMoved(moves, 'reserved'),
  to_commission: amountMoved(moves, 'commission'),
  to_provider: amountMoved(moves, 'provider'),
  to_suspense: amountMoved(moves, 'suspense'),
  to_external: amountMoved(moves, 'external'),
  balance_after: exactText(entry.balance_after),
  reserved_after: exactText(entry.reserved_after),
  kind: entry.kind,
  source_amount: exactText(entry.source?.amount),
  source_currency: entry.source?.currency ?? null,
  fx_rate: entry.source?.fx_rate ?? null,
  leaf_hash: leaf.hash,
});

const ledgerMoney = ({ ledger: { balance, reserved, totals } }: RecordedEntry): Row => ({
  balance: formatExactMinor(balance),
  reserved: formatExactMinor(reserved),
  commission: formatExactMinor(totals.commission),
  provider: formatExactMinor(totals.provider),
  suspense: formatExactMinor(totals.suspense),
  external: formatExactMinor(totals.external),
});

/** Puts the row of gateway.reservations after an entry that opens or closes one. */
function putReservation(
  put: Put,
  entity: AuditedEntity | undefined,
  { posted, logged }: { posted: RecordedEntry; logged: LoggedEntry },
): void {
  const { entry, moves, envelope } = posted;
  if (entry.kind !== 'reserve' && entry.kind !== 'capture' && entry.kind !== 'release') return;
  const known = entity?.reservations[entry.reservation];
  const before = known?.row && withDates('reservations', known.row);
  const made = projectOrSkip(() => ({ row: reservationAfter(before, logged) }));
  if (!made) return;
  const { operation_id, reservation, currency } = entry;
  const row = made.row ?? { operation_id, reservation };
  if (known && made.row) known.row = made.row;
  const isCapture = entry.kind === 'capture';
  const closed = isCapture ? 'captured' : known?.reserved === undefined ? 'void' : 'released';
  const released = formatExactMinor(-(moves.get('reserved') ?? 0n));
  const closing = {
    status: closed,
    amount: known?.reserved ?? released,
    recorded_amount: isCapture ? amountMoved(moves, 'provider') : null,
    commission_amount: isCapture ? amountMoved(moves, 'commission') : null,
    returned_amount: amountMoved(moves, 'balance'),
  };
  const none = { recorded_amount: null, commission_amount: null, returned_amount: null };
  const opening = { status: 'open', amount: amountMoved(moves, 'reserved'), ...none };
  const own = { currency, ...(entry.kind === 'reserve' ? opening : closing) };
  put('reservations', row, { own, position: envelope.event.position });
}
