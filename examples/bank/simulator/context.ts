import { hash } from 'node:crypto';
import type { BankStore } from './store.ts';
import {
  toTransferMovements,
  parseTransferId,
  type BankMovement,
  type Transfer,
} from './transfer.ts';

export type FirstAccount = { account: string; key: string };

export type BankContext = {
  store(): BankStore;
  now(): number;
  random(): number;
};

export const digestKey = (key: string): string => hash('sha256', key, 'hex');

/** A thousand million roubles: what an account begins with. */
export const initialBalance = 100_000_000_000n;

/** `open` runs at the first use: an unused bank costs nothing. */
export function createBankContext({
  open,
  first,
}: {
  open: () => BankStore;
  first: FirstAccount;
}): BankContext & { close(): void } {
  let opened: BankStore | undefined;
  const openWithFirst = () => {
    const store = open();
    const { account, key } = first;
    const holder = 'ООО «УЧЕБНЫЙ ШЛЮЗ»';
    store.accounts.put({ account, holder, keySha256: digestKey(key), initial: initialBalance });
    return store;
  };
  return {
    store: () => (opened ??= openWithFirst()),
    now: () => Date.now(),
    random: () => Math.random(),
    close: () => opened?.close(),
  };
}

/** All money that moved on an account by now, oldest first. */
export function movementsAt({ store, now }: BankContext, account: string): BankMovement[] {
  return store()
    .transfers.all(account)
    .flatMap((transfer) => toTransferMovements(transfer, now()))
    .toSorted((left, right) => left.atMs - right.atMs);
}

export function transferBy({ store }: BankContext, id: string): Transfer | undefined {
  const seq = parseTransferId(id);
  return seq === undefined ? undefined : store().transfers.get(seq);
}
