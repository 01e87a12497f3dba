import { behaviourSchema } from '#examples/bank/simulator/behaviour.ts';
import type { Account, BankStore } from '#examples/bank/simulator/store.ts';
import type { Transfer } from '#examples/bank/simulator/transfer.ts';

/** The bank's data, in memory. @param entered is called for each new transfer */
export function createBankStore(entered: (transfer: Transfer) => void): BankStore {
  const accounts = new Map<string, Account>();
  const transfers: Transfer[] = [];
  let behaviour = behaviourSchema.parse({});
  const inOrder = (account: string) =>
    transfers
      .filter((each) => each.account === account)
      .toSorted((left, right) => left.entersMs - right.entersMs || left.seq - right.seq);
  return {
    transaction: (work) => work(),
    close: () => undefined,
    accounts: {
      put: (account) => void accounts.set(account.account, account),
      get: (account) => accounts.get(account),
    },
    transfers: {
      add: (given) => {
        const transfer = { ...given, seq: transfers.length + 1 };
        transfers.push(transfer);
        entered(transfer);
        return transfer;
      },
      change: (transfer) => void (transfers[transfer.seq - 1] = transfer),
      get: (seq) => transfers[seq - 1],
      returning: (seq) => transfers.filter(({ returns }) => returns === seq),
      entered: (account, { fromMs, toMs, limit, offset }) =>
        inOrder(account)
          .filter(({ entersMs }) => entersMs >= fromMs && entersMs < toMs)
          .slice(offset, offset + limit),
      all: inOrder,
      withPurpose: (part) => transfers.filter(({ purpose }) => purpose.includes(part)),
    },
    differences: { all: () => [], plant: () => undefined, clear: () => undefined },
    behaviour: { get: () => behaviour, set: (other) => void (behaviour = other) },
  };
}
