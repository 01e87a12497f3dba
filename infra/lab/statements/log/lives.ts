import type { Random } from '#infra/verify/harness/random.ts';
import { fromMinor } from '#shared/domain/ledger/minor.ts';
import { admit, type CreateOperation } from '#shared/domain/operation/admission/admit.ts';
import {
  recordAnswer,
  type AttemptAnswer,
} from '#shared/domain/operation/attempts/provider-answer.ts';
import { recordReservation } from '#shared/domain/operation/payout-funds/reserve.ts';
import { review } from '#shared/domain/operation/receipt/operator-review.ts';
import { uploadReceipt } from '#shared/domain/operation/receipt/upload.ts';
import type { Route } from '#shared/domain/routing.ts';
import { secretOf } from '#services/audit/testing/shops.ts';
import { sealedBy } from '#services/audit/testing/busy-log.ts';
import { operationIdFor } from '#shared/application/operations/operation-id.ts';
import { accounts, elsewhereOf, isAtBank, type Account } from '../accounts.ts';
import {
  accountInRoute,
  createLife,
  iso,
  legOf,
  returnedOf,
  type Life,
  type LifeOf,
} from './life.ts';
import type { Moved } from './moved.ts';

export const shops = ['day-1', 'day-2', 'day-3', 'day-4', 'day-5'] as const;
export const dayMs = 86_400_000;
const minuteMs = 60_000;

/** How often of a hundred a payment, and a payout, goes so. */
const payments = {
  paid: 58,
  in_parts: 10,
  paid_less: 4,
  expired_then_paid: 3,
  paid_more_later: 2,
  charged_back: 4,
  back_before_the_end: 2,
  approved: 3,
  approved_then_paid: 2,
  corrected: 2,
  second_route: 3,
  converted: 4,
  declined: 3,
} as const;
const payouts = { paid: 84, returned: 9, returned_in_part: 4, declined: 3 } as const;
type Way = keyof typeof payments | keyof typeof payouts;

export type World = {
  random: Random;
  /** The beginning of the day. */
  startMs: number;
  /** Numbers of transfers at the bank, of which each is in its memory. */
  nextTransfer(): string;
};

type Living = World & {
  number: number;
  account: Account;
  amount: number;
  life: LifeOf;
  atMs: number;
};

/**
 * The `number`th operation of the day: by which account, how much and what becomes of it is drawn.
 */
export function liveOperation(number: number, world: World): Life {
  const { random } = world;
  const account = drawn(accounts, ({ share }) => share, random);
  const shopId = random.pick(shops);
  const merchantOperationId = `order-${number}`;
  const operationId = operationIdFor(secretOf(shopId), merchantOperationId);
  const life = createLife(operationId, shopId);
  const amount = 100 + random.below(500_000);
  const living: Living = { ...world, number, account, amount, life, atMs: momentOf(world) };
  const isPayout = random.chance(0.25);
  const way = isPayout ? drawnFrom(payouts, random) : drawnFrom(payments, random);
  const create = createOf(living, { way, isPayout, shopId, operationId, merchantOperationId });
  life.take(admit(life.state(), create));
  if (isPayout) payOut(living, way, create.routes);
  else receive(living, way, create.routes);
  return life.done();
}

/** Mostly somewhere in the day; some just before it, and just after its end. */
function momentOf({ random, startMs }: World): number {
  const near = random.below(20 * minuteMs);
  const dice = random.next();
  if (dice < 0.01) return startMs - 1 - near;
  return dice < 0.02 ? startMs + dayMs + near : startMs + random.below(dayMs);
}

/** After it, and no later than just after midnight. */
function later({ random, startMs, atMs }: Living, mostMinutes: number): number {
  const wanted = atMs + 1 + random.below(mostMinutes * minuteMs);
  return Math.max(atMs + 1, Math.min(wanted, startMs + dayMs + random.below(20 * minuteMs)));
}

const routeOf = (account: Account, change: Partial<Route>): Route => ({
  type: 'payment',
  method: 'WT_RUB_C2C',
  currency: 'RUB',
  provider: account.provider,
  ...accountInRoute(account),
  priority: 2,
  requires_receipt: false,
  commission: { percent: '2.50', fixed: '0.00' },
  ...change,
});

const conversion = { settlement_currency: 'USDT', fx_source: 'sandbox' } as const;

/** All that operations of the day go by. */
export const routesOfDay: readonly Route[] = accounts.flatMap((account) =>
  (['payment', 'payout'] as const).flatMap((type) => [
    routeOf(account, { type }),
    routeOf(account, { type, priority: 1 }),
    routeOf(account, { type, requires_receipt: true }),
    routeOf(account, { type, conversion }),
  ]),
);

type Create = { way: Way; isPayout: boolean } & Pick<
  CreateOperation,
  'shopId' | 'operationId' | 'merchantOperationId'
>;

function createOf(
  { account, amount, number, atMs }: Living,
  { way, isPayout, ...of }: Create,
): CreateOperation {
  const type = isPayout ? 'payout' : 'payment';
  const own = routeOf(account, {
    type,
    requires_receipt: way === 'approved' || way === 'approved_then_paid',
    ...(way === 'converted' && account.provider === 'sandbox' && { conversion }),
  });
  const before = routeOf(elsewhereOf(account), { type, priority: 1 });
  return {
    ...of,
    merchantId: 'merchant-1',
    type,
    body: { rest: 'f'.repeat(64), whole: 'f'.repeat(64) },
    endpoint: `/v1/${type}`,
    apiVersion: 'v1',
    request: {
      client_id: `client-${number}`,
      method: 'WT_RUB_C2C',
      amount: fromMinor(BigInt(amount)),
      currency: 'RUB',
    },
    acceptUntil: iso(atMs + 15_000),
    routes: way === 'second_route' ? [before, own] : [own],
  };
}

function acceptedBy(
  { number, atMs, account }: Living,
  shopId: string,
  type: string,
): AttemptAnswer {
  return {
    outcome: 'accepted',
    providerReference: `reference-${number}`,
    ...(type === 'payment' && { requisites: sealedBy(shopId) }),
    expiresAt: iso(atMs + 30 * minuteMs),
    ...(account.provider === 'sandbox' && { fxRate: '0.012500' }),
  };
}

function accept(living: Living, routes: readonly Route[]): void {
  const { life } = living;
  const { shopId, type, attempts } = life.operation();
  const answer = acceptedBy(living, shopId, type);
  life.take(
    recordAnswer(life.state(), { attempt: attempts.length, answer, routes, timeIsUp: false }),
  );
}

/** The next movement of the operation's money on its account. */
function movement(living: Living, change: Partial<Moved> & Pick<Moved, 'minor'>): Moved {
  const { life, account, number, atMs } = living;
  const { operationId, type, attempts } = life.operation();
  const made: Moved = {
    kind: 'transfer',
    direction: type === 'payment' ? 'in' : 'out',
    legId: isAtBank(account) ? living.nextTransfer() : `leg-${number}-${life.count()}`,
    operationId,
    attempt: attempts.length,
    account,
    atMs,
    ...change,
  };
  life.moves(made);
  return made;
}

/** All or a part of a movement goes back. */
function back(living: Living, of: Moved, { minor, atMs }: Pick<Moved, 'minor' | 'atMs'>): Moved {
  const kind = of.direction === 'in' ? 'chargeback' : 'return';
  const direction = of.direction === 'in' ? 'out' : 'in';
  return movement(living, { kind, direction, ofLegId: of.legId, minor, atMs });
}

function receive(living: Living, way: Way, routes: readonly Route[]): void {
  const { life, amount } = living;
  if (way === 'second_route') {
    const answer = { outcome: 'refused', reason: 'limit' } as const;
    life.take(recordAnswer(life.state(), { attempt: 1, answer, routes, timeIsUp: false }));
  }
  accept(living, routes);
  const attempt = life.operation().attempts.length;
  const told = (
    status: 'open' | 'completed' | 'partially_completed' | 'declined',
    moved: readonly Moved[],
  ) => life.report({ attempt, status, legs: moved.map(legOf) });
  if (way === 'declined') return told('declined', []);
  if (way === 'approved' || way === 'approved_then_paid') return approve(living, way);
  if (way === 'in_parts') return inParts(living, told);
  if (way === 'corrected') return correct(living);
  if (way === 'expired_then_paid') {
    // By its provider's report: the log's clock is at noon, whenever the window ends.
    life.report({ attempt, version: 1, status: 'expired', legs: [] });
    return told('completed', [movement(living, { minor: amount })]);
  }
  if (way === 'paid_less')
    return told('partially_completed', [movement(living, { minor: 1 + Math.floor(amount / 2) })]);
  const first = movement(living, { minor: amount });
  if (way === 'back_before_the_end') return backBeforeTheEnd(living, first);
  told('completed', [first]);
  if (way === 'paid_more_later')
    told('completed', [first, movement(living, { minor: 700, atMs: later(living, 60) })]);
  if (way === 'charged_back') {
    const whole = living.random.chance(0.5);
    const minor = whole ? amount : Math.ceil(amount / 3);
    const returns = [returnedOf(back(living, first, { minor, atMs: later(living, 300) }))];
    life.report({ attempt, status: 'completed', legs: [legOf(first)], returns });
  }
}

type Told = (status: 'open' | 'completed', moved: readonly Moved[]) => void;

function inParts(living: Living, told: Told): void {
  const { random, amount } = living;
  const parts: Moved[] = [];
  let left = amount;
  for (let place = random.below(2); place < 2; place += 1) {
    const minor = 1 + Math.floor(left / 3);
    left -= minor;
    parts.push(movement(living, { minor, atMs: later(living, 5) }));
    told('open', parts);
  }
  told('completed', [...parts, movement(living, { minor: left, atMs: later(living, 5) })]);
}

/** The provider changes its mind about an amount while the operation is open. */
function correct(living: Living): void {
  const { life, amount } = living;
  const first = movement(living, { minor: Math.ceil(amount / 2) });
  const was = { ...first, minor: first.minor + 1 };
  life.report({ attempt: 1, version: 1, status: 'open', legs: [legOf(was)] });
  life.report({ attempt: 1, version: 2, status: 'open', legs: [legOf(first)] });
  const rest = movement(living, { minor: amount - first.minor + 5, atMs: later(living, 5) });
  life.report({ attempt: 1, version: 3, status: 'completed', legs: [legOf(first), legOf(rest)] });
}

/** A part comes, goes back, and comes again. */
function backBeforeTheEnd(living: Living, whole: Moved): void {
  const { life, amount } = living;
  whole.minor = Math.ceil(amount / 2);
  life.report({ attempt: 1, status: 'open', legs: [legOf(whole)] });
  const atMs = later(living, 5);
  const returns = [returnedOf(back(living, whole, { minor: whole.minor, atMs }))];
  life.report({ attempt: 1, status: 'open', legs: [legOf(whole)], returns });
  const again = movement(living, { minor: amount, atMs: later(living, 10) });
  life.report({ attempt: 1, status: 'completed', legs: [legOf(whole), legOf(again)], returns });
}

/** An operator takes the payer's word for it; at times the money comes, and more of it. */
function approve(living: Living, way: Way): void {
  const { life, number, amount, atMs, random } = living;
  const file = {
    receiptId: `receipt-${number}`,
    sha256: 'a'.repeat(64),
    sizeBytes: 1_000,
    pdf: false,
  };
  life.take(uploadReceipt(life.state(), file));
  const said = { actualAmount: fromMinor(BigInt(amount)), mayExceed: false, note: 'seen' };
  const leg = { legId: `approved-${number}`, nowIso: iso(atMs) };
  life.take(review(life.state(), { decision: 'approve', ...said, ...leg }));
  life.settle();
  if (way === 'approved') return;
  const minor = amount + (random.chance(0.5) ? 1_000 : 0);
  const legs = [legOf(movement(living, { minor, atMs: later(living, 60) }))];
  life.report({ attempt: 1, status: 'completed', legs });
}

function payOut(living: Living, way: Way, routes: readonly Route[]): void {
  const { life, amount } = living;
  life.reserve();
  life.take(
    recordReservation(life.state(), { attempt: 1, answer: 'reserved', routes, timeIsUp: false }),
  );
  accept(living, routes);
  if (way === 'declined') return life.report({ attempt: 1, status: 'declined', legs: [] });
  const paid = movement(living, { minor: amount });
  life.report({ attempt: 1, status: 'completed', legs: [legOf(paid)] });
  if (way === 'paid') return;
  const minor = way === 'returned' ? amount : Math.ceil(amount / 2);
  const returns = [returnedOf(back(living, paid, { minor, atMs: later(living, 300) }))];
  life.report({ attempt: 1, status: 'completed', legs: [legOf(paid)], returns });
}

function drawn<Item>(
  items: readonly [Item, ...Item[]],
  weightOf: (item: Item) => number,
  { next }: Random,
): Item {
  let left = next() * items.reduce((sum, item) => sum + weightOf(item), 0);
  for (const item of items) if ((left -= weightOf(item)) < 0) return item;
  return items[0];
}

const drawnFrom = <Name extends string>(
  weights: Readonly<Record<Name, number>>,
  random: Random,
): Name => drawn(Object.keys(weights) as [Name, ...Name[]], (name) => weights[name], random);
