import { expect, it } from 'vitest';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/temp-folder.ts';
import { behaviourSchema } from '#examples/bank/simulator/behaviour.ts';
import { openBankStore, type BankStore } from '#examples/bank/simulator/store.ts';
import { createBankStore } from './store.ts';

const account = '40702810500000000001';

/** The results of the same writes and reads on a store of the bank. */
function use({ accounts, transfers, behaviour, transaction }: BankStore) {
  accounts.put({ account, holder: 'One', keySha256: 'a', initial: 5n });
  const transfer = {
    account,
    direction: 'in',
    amount: 100n,
    party: 'payer',
    purpose: 'for GW1',
  } as const;
  const late = transfers.add({ ...transfer, entersMs: 30 });
  const early = transaction(() =>
    transfers.add({ ...transfer, direction: 'out', purpose: 'other', entersMs: 20 }),
  );
  transfers.change({ ...early, booksMs: 25 });
  transfers.add({ ...transfer, entersMs: 30, booksMs: 30, returns: early.seq });
  transfers.add({ ...transfer, account: '40702810500000000002', entersMs: 25 });
  behaviour.set(behaviourSchema.parse({ late: 0.5 }));
  const page = (limit: number, offset: number) =>
    transfers.entered(account, { fromMs: 20, toMs: 31, limit, offset });
  return {
    account: accounts.get(account),
    nobody: accounts.get('none'),
    all: transfers.all(account),
    pages: [
      page(2, 0),
      page(2, 2),
      transfers.entered(account, { fromMs: 21, toMs: 30, limit: 9, offset: 0 }),
    ],
    one: [transfers.get(late.seq), transfers.get(99)],
    back: transfers.returning(early.seq),
    named: transfers.withPurpose('GW'),
    behaviour: behaviour.get(),
  };
}

it('returns the same as the store of the sandbox, in the same order', () => {
  const folder = makeTempFolder();
  const real = openBankStore(folder);
  try {
    expect(use(createBankStore(() => undefined))).toEqual(use(real));
  } finally {
    real.close();
    removeFolder(folder);
  }
});
