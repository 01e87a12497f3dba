import type { BankAccount, BankRecord, BankTransfer } from '#examples/bank/connector/wire.ts';
import { destinationKind, methodNames } from '#shared/domain/methods/index.ts';
import { requisitesFor } from '#services/sandbox-provider/attempt/requisites.ts';
import { doubled } from './behaviour.ts';
import { digestKey, movementsAt, transferBy, type BankContext } from './context.ts';
import { createOrderDesk } from './orders.ts';
import { computeBalance, buildBankStatement } from './statement.ts';
import type { BankAccountRow } from './store.ts';
import { transferAt, type BankMovement } from './transfer.ts';

/** Transfers on a page. */
const pageLines = 20;
const dayMs = 86_400_000;

/**
 * The bank as the gateway calls it: accounts, transfers, statements. Nothing of it runs by itself.
 */
export function createBank(context: BankContext) {
  const { store, now, random } = context;

  const take = createOrderDesk(context);

  return {
    behaviour: () => store().behaviour.get(),

    /** The account, if the key is right. */
    accountOf(key: string, account: string): BankAccountRow | undefined {
      const owner = store().accounts.get(account);
      return owner?.keySha256 === digestKey(key) ? owner : undefined;
    },

    describe: (account: BankAccountRow): BankAccount =>
      describe(account, movementsAt(context, account.account)),

    /** Accepts an order of an outgoing transfer, each time anew: it has no idempotency key. */
    order: take,

    /** A transfer, and after it those that took its money back. */
    find(account: string, id: string): [BankTransfer, ...BankTransfer[]] | undefined {
      const transfer = transferBy(context, id);
      const isVisible = transfer?.account === account && transfer.entersMs <= now();
      if (!isVisible) return undefined;
      const back = store().transfers.returning(transfer.seq);
      return [transferAt(transfer, now()), ...back.map((each) => transferAt(each, now()))];
    },

    /** A page of what entered on a day, in the order of entry. */
    page(account: string, { day, page }: { day: string; page: number }) {
      const fromMs = Date.parse(day);
      const entered = store().transfers.entered(account, {
        fromMs,
        toMs: Math.min(fromMs + dayMs, now() + 1),
        limit: pageLines + 1,
        offset: (page - 1) * pageLines,
      });
      const transfers = entered.slice(0, pageLines).map((transfer) => transferAt(transfer, now()));
      const part = store().behaviour.get().duplicate_lines;
      return { transfers: doubled(transfers, part, random), more: entered.length > pageLines };
    },

    statement(
      { account, initial }: BankAccountRow,
      { day, page }: { day: string; page: number },
    ): BankRecord[] {
      const differences = store()
        .differences.all()
        .filter((each) => (each.account ?? account) === account && (each.day ?? day) === day);
      const movements = movementsAt(context, account);
      return buildBankStatement({
        account,
        day,
        initial,
        movements,
        differences,
        page,
        nowMs: now(),
      });
    },
  };
}

/** An account has a card and a phone number; no other has these (`requisites.ts`). */
function describe(
  { account, holder, initial }: BankAccountRow,
  movements: readonly BankMovement[],
): BankAccount {
  const by = (kind: 'card' | 'phone') =>
    requisitesFor(account, methodNames.find((method) => destinationKind(method) === kind) ?? '');
  const phone = by('phone');
  return {
    account,
    holder,
    card: by('card').number,
    phone: phone.number,
    bank: phone.bankname ?? 'bank',
    bank_name: phone.bankname_details ?? 'bank',
    currency: 'RUB',
    state: 'open',
    balance: String(computeBalance(initial, movements)),
  };
}

export type Bank = ReturnType<typeof createBank>;
