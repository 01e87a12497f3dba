import { expect, it } from 'vitest';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/temp-folder.ts';
import { behaviourSchema } from '#examples/bank/simulator/behaviour.ts';
import { openBankStore, type BankStore } from '#examples/bank/simulator/store.ts';
import { createBankStore } from './store.ts';

const account = '40702810500000000001';

/** What a bank reads of its store after the same that it wrote. */
function use({ accounts, transfers, behaviour, transaction }: BankStore) {
  accounts.put({ account, holder: 'One', keySha256: 'a', initial: 5n });
  const given = {
    account,
    direction: 'in',
    amount: 100n,
    party: 'payer',
    purpose: 'for GW1',
  } as const;
  const late = transfers.add({ ...given, entersMs: 30 });
  const early = transaction(() =>
    transfers.add({ ...given, direction: 'out', purpose: 'other', entersMs: 20 }),
  );
  transfers.change({ ...early, booksMs: 25 });
  transfers.add({ ...given, entersMs: 30, booksMs: 30, returns: early.seq });
  transfers.add({ ...given, account: '40702810500000000002', entersMs: 25 });
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

it('keeps what the store of the sandbox keeps, in the same order', () => {
  const folder = makeTempFolder();
  const real = openBankStore(folder);
  try {
    expect(use(createBankStore(() => undefined))).toEqual(use(real));
  } finally {
    real.close();
    removeFolder(folder);
  }
});
