import { isTerminal, type Operation as DomainOperation } from '#shared/domain/operation/state.ts';
import { fromMinor } from '#shared/domain/ledger/minor.ts';
import {
  keys,
  overdraftLimit,
  settlements,
  unroutable,
  type Amount,
  type Answer,
  type Command,
  type Done,
  type Key,
  type Receipt,
} from './commands.ts';

type Status = DomainOperation['status'];

/** An operation as a merchant may think of it. */
type Operation =
  | { readonly phase: 'cancelled_first' }
  | {
      readonly phase: 'created';
      readonly amount: Amount;
      readonly status: Status;
      /** Why a create was answered with 422. */
      readonly rejected?: 'provider_not_accepted' | 'insufficient_funds';
      readonly receipt?: Receipt;
    };

/** What a shop can be like, as far as answers tell. In minor units. */
export type ShopModel = {
  readonly operations: Readonly<Partial<Record<Key, Operation>>>;
  readonly balance: bigint;
  readonly reserved: bigint;
};

export const newShop: ShopModel = { operations: {}, balance: 0n, reserved: 0n };

/**
 * The model after a command that was answered so; undefined if no such answer could be given in
 * this model.
 */
export function step(model: ShopModel, { command, answer }: Done): ShopModel | undefined {
  if (answer === undefined) return model;
  switch (command.do) {
    case 'create':
      return create(model, command, answer);
    case 'cancel':
      return cancel(model, command, answer);
    case 'confirm':
      return confirm(model, command, answer);
    case 'read':
      return read(model, command, answer) ? model : undefined;
    case 'balances':
      return showsBalances(model, answer) ? model : undefined;
    case 'settle':
      return settle(model, command);
  }
}

type Of<What extends Command['do']> = Extract<Command, { do: What }>;

const withOperation = (model: ShopModel, key: Key, operation: Operation): ShopModel => ({
  ...model,
  operations: { ...model.operations, [key]: operation },
});

function create(
  model: ShopModel,
  { key, amount, link }: Of<'create'>,
  answer: Answer,
): ShopModel | undefined {
  const { type, receipt } = keys[key];
  const known = model.operations[key];
  if (known?.phase === 'created') {
    if (known.amount !== amount)
      return refused(answer, 412, 'idempotency_body_mismatch') ? model : undefined;
    if (!answer.replayed) return undefined;
    if (known.rejected) return refused(answer, 422, known.rejected) ? model : undefined;
    return shows(answer, known, { key, link }) ? model : undefined;
  }
  if (known?.phase === 'cancelled_first') {
    if (type === 'payout')
      return refused(answer, 412, 'idempotency_body_mismatch') ? model : undefined;
    const cancelled = { phase: 'created', amount, status: 'cancelled' } as const;
    return !answer.replayed && shows(answer, cancelled, { key, link })
      ? withOperation(model, key, cancelled)
      : undefined;
  }
  if (answer.replayed) return undefined;
  const rejected = rejectionOf(model, type, amount);
  if (rejected) {
    const declined = { phase: 'created', amount, status: 'declined', rejected } as const;
    return refused(answer, 422, rejected) ? withOperation(model, key, declined) : undefined;
  }
  const created = {
    phase: 'created',
    amount,
    status: receipt ? 'awaiting_confirmation' : 'pending',
  } as const;
  if (!shows(answer, created, { key, link })) return undefined;
  const charge = type === 'payout' ? settlements.payout[amount] : 0n;
  return {
    ...withOperation(model, key, created),
    balance: model.balance - charge,
    reserved: model.reserved + charge,
  };
}

function rejectionOf({ balance }: ShopModel, type: 'payment' | 'payout', amount: Amount) {
  if (amount === unroutable) return 'provider_not_accepted';
  const short = type === 'payout' && balance - settlements.payout[amount] < -overdraftLimit;
  return short ? 'insufficient_funds' : undefined;
}

function cancel(model: ShopModel, { key }: Of<'cancel'>, answer: Answer): ShopModel | undefined {
  const known = model.operations[key];
  const told = (outcome: string, status: Status) => {
    const { operation } = answer.body as { operation?: { status?: unknown } };
    return (
      answer.status === 200 && answer.body['outcome'] === outcome && operation?.status === status
    );
  };
  if (known === undefined)
    return told('cancelled', 'cancelled')
      ? withOperation(model, key, { phase: 'cancelled_first' })
      : undefined;
  if (known.phase === 'cancelled_first') return told('cancelled', 'cancelled') ? model : undefined;
  if (keys[key].type === 'payout')
    return refused(answer, 412, 'cancel_payout_unsupported') ? model : undefined;
  const { status } = known;
  if (isTerminal(status))
    return told(status === 'cancelled' ? 'cancelled' : 'already_terminal', status)
      ? model
      : undefined;
  if (known.receipt) return refused(answer, 412, 'cancel_not_allowed') ? model : undefined;
  const cancelled = { ...known, status: 'cancelled' } as const;
  return told('cancelled', 'cancelled') ? withOperation(model, key, cancelled) : undefined;
}

function confirm(
  model: ShopModel,
  { key, receipt }: Of<'confirm'>,
  answer: Answer,
): ShopModel | undefined {
  const known = model.operations[key];
  if (known?.phase !== 'created')
    return refused(answer, 404, 'operation_not_found') ? model : undefined;
  const again = known.receipt === receipt;
  const expected = known.status === 'awaiting_confirmation' && known.receipt === undefined;
  if (!again && !expected)
    return refused(answer, 412, 'confirmation_not_expected') ? model : undefined;
  if (again) return shows(answer, known, { key, link: false }) ? model : undefined;
  // The provider is asked before the answer is given: it may know of an end that comes on top.
  const taken = answer.status === 200 && answer.body['expected_amount'] === known.amount;
  return taken ? withOperation(model, key, { ...known, receipt }) : undefined;
}

function read(model: ShopModel, { key }: Of<'read'>, answer: Answer): boolean {
  const known = model.operations[key];
  if (known?.phase !== 'created') return refused(answer, 404, 'operation_not_found');
  return shows(answer, known, { key, link: false });
}

/** What the provider says changes what has not ended, and nothing else (R6.3). */
function settle(model: ShopModel, { key, result }: Of<'settle'>): ShopModel {
  const known = model.operations[key];
  if (known?.phase !== 'created' || isTerminal(known.status)) return model;
  const { type } = keys[key];
  const amount = settlements[type][known.amount];
  const ended = withOperation(model, key, { ...known, status: result });
  if (type === 'payment')
    return result === 'completed' ? { ...ended, balance: model.balance + amount } : ended;
  const back = result === 'completed' ? 0n : amount;
  return { ...ended, balance: model.balance + back, reserved: model.reserved - amount };
}

const refused = ({ status, body }: Answer, expected: number, code: string): boolean =>
  status === expected && body['code'] === code;

/**
 * Whether an answer shows the operation as it is, with all that this state has and nothing that it
 * has not.
 */
function shows(
  { status, body }: Answer,
  operation: Extract<Operation, { phase: 'created' }>,
  { key, link }: { key: Key; link: boolean },
): boolean {
  const { type, method } = keys[key];
  const { amount } = operation;
  const cancelled = operation.status === 'cancelled';
  // A receipt that is none is for a person to look at, sooner or later.
  const possible =
    operation.status === 'awaiting_confirmation' && operation.receipt === 'picture'
      ? ['awaiting_confirmation', 'manual_check']
      : [operation.status];
  const money = operation.status === 'completed';
  return (
    status === 200 &&
    possible.includes(String(body['status'])) &&
    body['type'] === type &&
    body['method'] === method &&
    body['expected_amount'] === amount &&
    body['actual_amount'] === (money ? amount : '0.00') &&
    (!isTerminal(operation.status) ||
      body['settlement_amount'] === (money ? fromMinor(settlements[type][amount]) : '0.00')) &&
    (type === 'payout' || 'number' in body === (!cancelled && operation.rejected === undefined)) &&
    (!link || type === 'payout' || (body['payment_url'] === null) === cancelled)
  );
}

function showsBalances({ balance, reserved }: ShopModel, { status, body }: Answer): boolean {
  if (status !== 200) return false;
  const minus = -(balance + reserved);
  const row = {
    currency: 'RUB',
    balance: fromMinor(balance),
    current_minus: fromMinor(minus > 0n ? minus : 0n),
    reserved: fromMinor(reserved),
  };
  const rows = body['balances'] as readonly Readonly<Record<string, string>>[];
  return rows.every((shown) =>
    shown['currency'] === 'RUB'
      ? Object.entries(row).every(([name, value]) => shown[name] === value)
      : shown['balance'] === '0.00' && shown['reserved'] === '0.00',
  );
}
