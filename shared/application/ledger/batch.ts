import { decideEntry, type KnownEntry, type LedgerView } from '#shared/domain/ledger/decide.ts';
import type { Entry } from '#shared/domain/ledger/events.ts';
import type { LedgerRefusal } from '#shared/domain/ledger/commands.ts';
import { positionAfter } from '#shared/domain/ledger/position.ts';
import { keysOfCommand, commandSubject } from '#shared/domain/ledger/reference.ts';
import { isRecorded } from './look-back.ts';
import { findIn, entryByKey, type LedgerMemory } from './memory.ts';
import type { PostRequest } from './types.ts';

/** The decision on a command of a batch, before anything is written. */
export type CommandVerdict =
  /** An entry to append, at this revision. */
  | { kind: 'entry'; entry: Entry; revision: number }
  /** It is posted: in the log, or earlier in this batch (`entry`). */
  | { kind: 'repeat'; revision: number; entry?: Entry }
  | { kind: 'refused'; code: LedgerRefusal; balance?: string | undefined }
  /** The memory does not show whether it, or one before it with the same subject, is posted. */
  | { kind: 'unexplored' }
  | { kind: 'failed'; error: unknown };

/** Decides commands one after the other, each on the ledger as the one before leaves it. */
export function decideBatch(
  memory: LedgerMemory,
  requests: readonly PostRequest[],
): { verdicts: CommandVerdict[]; entries: Entry[] } {
  const pending = new Map<string, KnownEntry>();
  const unexplored = new Set<string>();
  const entries: Entry[] = [];
  const first = memory.position.revision + 1;
  let { position } = memory;

  const decide = (request: PostRequest): CommandVerdict => {
    const { shopId, currency } = request;
    const view: LedgerView = {
      shopId,
      currency,
      position,
      find: (key) => pending.get(key) ?? findIn(memory, key),
    };
    const subject = commandSubject(request);
    const follows = keysOfCommand(request).some((key) => pending.has(key));
    if (unexplored.has(subject) || !(follows || isRecorded(memory, request))) {
      unexplored.add(subject);
      return { kind: 'unexplored' };
    }
    const decision = decideEntry(view, request);
    if ('refusal' in decision)
      return { kind: 'refused', code: decision.refusal, balance: decision.balance };
    if ('repeats' in decision) {
      const { revision } = decision.repeats;
      const entry = entries[revision - first];
      return { kind: 'repeat', revision, ...(entry && { entry }) };
    }
    const { entry } = decision;
    const revision = position.revision + 1;
    position = positionAfter(entry, revision);
    pending.set(...entryByKey(entry, revision));
    entries.push(entry);
    return { kind: 'entry', entry, revision };
  };

  const verdicts = requests.map((request): CommandVerdict => {
    try {
      return decide(request);
    } catch (error) {
      // One invalid command must not fail the others of its batch.
      return { kind: 'failed', error };
    }
  });
  return { verdicts, entries };
}
