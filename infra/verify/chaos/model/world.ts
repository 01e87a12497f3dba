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
export type World = {
  readonly operations: Readonly<Partial<Record<Key, Operation>>>;
  readonly balance: bigint;
  readonly reserved: bigint;
};

export const emptyWorld: World = { operations: {}, balance: 0n, reserved: 0n };

/**
 * The world after a command that was answered so; nothing where no such answer could be given in
 * this world.
 */
export function step(world: World, { command, answer }: Done): World | undefined {
  if (answer === undefined) return world;
  switch (command.do) {
    case 'create':
      return create(world, command, answer);
    case 'cancel':
      return cancel(world, command, answer);
    case 'confirm':
      return confirm(world, command, answer);
    case 'read':
      return read(world, command, answer) ? world : undefined;
    case 'balances':
      return showsBalances(world, answer) ? world : undefined;
    case 'settle':
      return settle(world, command);
  }
}

type Of<What extends Command['do']> = Extract<Command, { do: What }>;

const withOperation = (world: World, key: Key, operation: Operation): World => ({
  ...world,
  operations: { ...world.operations, [key]: operation },
});

function create(world: World, { key, amount, link }: Of<'create'>, answer: Answer): World | undefined {
  const { type, receipt } = keys[key];
  const known = world.operations[key];
  if (known?.phase === 'created') {
    if (known.amount !== amount) return refused(answer, 412, 'idempotency_body_mismatch') ? world : undefined;
    if (!answer.replayed) return undefined;
    if (known.rejected) return refused(answer, 422, known.rejected) ? world : undefined;
    return shows(answer, known, { key, link }) ? world : undefined;
  }
  if (known?.phase === 'cancelled_first') {
    if (type === 'payout') return refused(answer, 412, 'idempotency_body_mismatch') ? world : undefined;
    const cancelled = { phase: 'created', amount, status: 'cancelled' } as const;
    return !answer.replayed && shows(answer, cancelled, { key, link })
      ? withOperation(world, key, cancelled)
      : undefined;
  }
  if (answer.replayed) return undefined;
  const rejected = rejectionOf(world, type, amount);
  if (rejected) {
    const declined = { phase: 'created', amount, status: 'declined', rejected } as const;
    return refused(answer, 422, rejected) ? withOperation(world, key, declined) : undefined;
  }
  const created = {
    phase: 'created',
    amount,
    status: receipt ? 'awaiting_confirmation' : 'pending',
  } as const;
  if (!shows(answer, created, { key, link })) return undefined;
  const charge = type === 'payout' ? settlements.payout[amount] : 0n;
  return {
    ...withOperation(world, key, created),
    balance: world.balance - charge,
    reserved: world.reserved + charge,
  };
}

function rejectionOf({ balance }: World, type: 'payment' | 'payout', amount: Amount) {
  if (amount === unroutable) return 'provider_not_accepted';
  const short = type === 'payout' && balance - settlements.payout[amount] < -overdraftLimit;
  return short ? 'insufficient_funds' : undefined;
}

function cancel(world: World, { key }: Of<'cancel'>, answer: Answer): World | undefined {
  const known = world.operations[key];
  const told = (outcome: string, status: Status) => {
    const { operation } = answer.body as { operation?: { status?: unknown } };
    return answer.status === 200 && answer.body['outcome'] === outcome && operation?.status === status;
  };
  if (known === undefined)
    return told('cancelled', 'cancelled')
      ? withOperation(world, key, { phase: 'cancelled_first' })
      : undefined;
  if (known.phase === 'cancelled_first') return told('cancelled', 'cancelled') ? world : undefined;
  if (keys[key].type === 'payout')
    return refused(answer, 412, 'cancel_payout_unsupported') ? world : undefined;
  const { status } = known;
  if (isTerminal(status))
    return told(status === 'cancelled' ? 'cancelled' : 'already_terminal', status) ? world : undefined;
  if (known.receipt) return refused(answer, 412, 'cancel_not_allowed') ? world : undefined;
  const cancelled = { ...known, status: 'cancelled' } as const;
  return told('cancelled', 'cancelled') ? withOperation(world, key, cancelled) : undefined;
}

function confirm(world: World, { key, receipt }: Of<'confirm'>, answer: Answer): World | undefined {
  const known = world.operations[key];
  if (known?.phase !== 'created') return refused(answer, 404, 'operation_not_found') ? world : undefined;
  const again = known.receipt === receipt;
  const expected = known.status === 'awaiting_confirmation' && known.receipt === undefined;
  if (!again && !expected) return refused(answer, 412, 'confirmation_not_expected') ? world : undefined;
  if (again) return shows(answer, known, { key, link: false }) ? world : undefined;
  // The provider is asked before the answer is given: it may know of an end that comes on top.
  const taken = answer.status === 200 && answer.body['expected_amount'] === known.amount;
  return taken ? withOperation(world, key, { ...known, receipt }) : undefined;
}

function read(world: World, { key }: Of<'read'>, answer: Answer): boolean {
  const known = world.operations[key];
  if (known?.phase !== 'created') return refused(answer, 404, 'operation_not_found');
  return shows(answer, known, { key, link: false });
}

/** What the provider says changes what has not ended, and nothing else (R6.3). */
function settle(world: World, { key, result }: Of<'settle'>): World {
  const known = world.operations[key];
  if (known?.phase !== 'created' || isTerminal(known.status)) return world;
  const { type } = keys[key];
  const amount = settlements[type][known.amount];
  const ended = withOperation(world, key, { ...known, status: result });
  if (type === 'payment')
    return result === 'completed' ? { ...ended, balance: world.balance + amount } : ended;
  const back = result === 'completed' ? 0n : amount;
  return { ...ended, balance: world.balance + back, reserved: world.reserved - amount };
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

function showsBalances({ balance, reserved }: World, { status, body }: Answer): boolean {
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
