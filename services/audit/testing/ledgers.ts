import type { LedgerCommand } from '#shared/domain/ledger/commands.ts';
import { decideEntry, type KnownEntry } from '#shared/domain/ledger/decide.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { toMinor } from '#shared/domain/ledger/minor.ts';
import { moved, noEntry, positionAfter, type Position } from '#shared/domain/ledger/position.ts';
import { keyOfEntry } from '#shared/domain/ledger/reference.ts';
import type { NewLogEvent } from './log.ts';

/** Ledgers of a generated log: entries are decided by the gateway's own code. */
export function createTestLedgers(append: (event: NewLogEvent) => unknown) {
  const ledgers = new Map<string, { position: Position; known: Map<string, KnownEntry> }>();
  return {
    post: (shopId: string, currency: string, command: LedgerCommand): void => {
      const stream = ledgerStream(shopId, currency);
      let ledger = ledgers.get(stream);
      if (!ledger) ledgers.set(stream, (ledger = { position: noEntry, known: new Map() }));
      const { known, position } = ledger;
      const decision = decideEntry(
        { shopId, currency, position, find: (key) => known.get(key) },
        command,
      );
      if (!('entry' in decision)) return;
      const { entry } = decision;
      const revision = position.revision + 1;
      ledger.position = positionAfter(entry, revision);
      const reserved = entry.kind === 'reserve' ? moved(entry, 'reserved') : toMinor('0.00');
      known.set(keyOfEntry(entry), { kind: entry.kind, revision, reserved });
      append({ stream, type: 'EntryPosted', data: entry });
    },
  };
}
