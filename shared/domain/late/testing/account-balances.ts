import type { LedgerCommand } from '../../ledger/commands.ts';
import { decideEntry, type KnownEntry } from '../../ledger/decide.ts';
import { accounts, type LedgerAccount } from '../../ledger/events.ts';
import type { Minor } from '../../ledger/minor.ts';
import { moved, noEntry, positionAfter } from '../../ledger/position.ts';
import { keyOfEntry } from '../../ledger/reference.ts';
import { dueEntries } from '../../operation/due-steps/ledger-entries.ts';
import type { Operation } from '../../operation/state.ts';
import type { LateEvent } from '../events.ts';
import { isLateMoney, toSuspense } from '../suspense.ts';

/**
 * The accounts once all due entries are posted, assuming that each reservation was made. A negative
 * balance of the provider is the amount that it still has to transfer.
 */
export function accountBalances(
  operation: Operation,
  late: readonly LateEvent[],
): Record<LedgerAccount, Minor> {
  const { operationId } = operation;
  const commands: LedgerCommand[] = [
    ...operation.reservations.map(({ reservation, amount }): LedgerCommand => ({
      kind: 'reserve',
      operationId,
      reservation,
      amount,
    })),
    ...dueEntries(operation).map((entry) => ({ operationId, ...entry })),
    ...late.flatMap((event) => suspenseFor(operation, event)),
  ];
  const posted = new Map<string, KnownEntry>();
  let position = noEntry;
  const balances = Object.fromEntries(accounts.map((account) => [account, 0n])) as Record<
    LedgerAccount,
    Minor
  >;
  for (const command of commands) {
    const view = { shopId: 's', currency: 'RUB', position, find: (key: string) => posted.get(key) };
    const decision = decideEntry(view, command);
    if (!('entry' in decision)) throw new Error('each entry is posted once');
    const { entry } = decision;
    position = positionAfter(entry, position.revision + 1);
    const reserved = entry.kind === 'reserve' ? moved(entry, 'reserved') : 0n;
    posted.set(keyOfEntry(entry), { kind: entry.kind, revision: position.revision, reserved });
    for (const account of accounts) balances[account] += moved(entry, account);
  }
  return balances;
}

const suspenseFor = ({ operationId, type }: Operation, event: LateEvent): LedgerCommand[] =>
  isLateMoney(event) ? [{ kind: 'suspense', operationId, ...toSuspense(event, type) }] : [];
