import { hash } from 'node:crypto';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { storedExamples } from '#shared/domain/testing/stored-examples.ts';
import { digestFields } from '#shared/application/statements/import-statement.ts';
import { statementStream, type StoredLine } from '#shared/domain/statements/events.ts';
import { hashBody } from '#shared/platform/ids.ts';
import { operationIdFor } from '#shared/application/operations/operation-id.ts';
import {
  clientKeys,
  erasedClient,
  erasedKey,
  retainedClient,
  retainedKey,
  storedCallback,
} from './stored-reports.ts';
import type { NewLogEvent } from './log.ts';
import { secretOf, setUpShops, testRoute as route } from './shops.ts';

/**
 * A small log in which every rule holds and every kind of stream exists, for tests that break one
 * rule. Each event has a name.
 */
export type NamedEvents = Map<string, NewLogEvent>;

export const shopId = 'shop-1';
/** The event that confirms the file of payouts. */
export const confirmationId = '7d0c6b52-3c1e-4b8a-9a52-0e6f3d1c2b4a';
export const payment = operationIdFor(secretOf(shopId), 'order-1');
export const payout = operationIdFor(secretOf(shopId), 'order-2');
const cancelledFirst = operationIdFor(secretOf(shopId), 'order-3');
export const reviewed = operationIdFor(secretOf(shopId), 'order-4');
/** A payment of another shop, which an operator approved before its money arrived. */
export const otherShopId = 'shop-2';
export const approved = operationIdFor(secretOf(otherShopId), 'order-5');
const adjustment = `adjustment-${hashBody([shopId, 'a-1'])}`;
const accept_until = '2026-01-31T12:00:15.000Z';
const completed_at = '2026-01-31T12:01:00.000Z';

const noMoney = { actual_amount: '0.00', settlement_amount: '0.00', commission_amount: '0.00' };
const names = (operation_id: string, name: string) => ({
  operation_id,
  shop_id: shopId,
  merchant_id: 'merchant-1',
  merchant_operation_id: name,
});
export const sealedWith = (keyId: string) => `v1.${keyId}.${'n'.repeat(16)}.${'c'.repeat(40)}`;
const wrappedKey = (keyId: string) => {
  const { key: _, ...wrapped } = clientKeys.get(keyId) ?? { key: undefined };
  return wrapped;
};
const keyEvents = (keyId: string) => ({
  created: {
    stream: `personal-key-${keyId}`,
    type: 'PersonalKeyCreated',
    data: { shop_id: shopId, key_id: keyId, ...wrappedKey(keyId) },
  },
  requested: {
    stream: `personal-erasure-${keyId}`,
    type: 'PersonalDataErasureRequested',
    data: { shop_id: shopId, client_id: erasedClient, key_id: keyId },
  },
  retired: { stream: `personal-key-${keyId}`, type: 'PersonalKeyRetired', data: { key_id: keyId } },
  destroyed: { stream: `personal-key-${keyId}`, type: '$streamDeleted', data: null },
  erased: {
    stream: `personal-erasure-${keyId}`,
    type: 'PersonalDataErased',
    data: { operations: 1, in_clear: 0, receipt_files: 0 },
  },
});
const admitted = (id: string, name: string, type: 'payment' | 'payout', request: object = {}) => ({
  type: 'OperationAdmitted' as const,
  data: {
    ...names(id, name),
    type,
    body_hash: {
      rest: 'hash',
      ...('client_ip' in request && { personal: { key_id: erasedKey, hmac: 'hmac' } }),
    },
    request: {
      client_id: retainedClient,
      method: 'WT_RUB_C2C',
      amount: '100.00',
      currency: 'RUB',
      ...request,
    },
    accept_until,
  },
});
const accepted = (more: object = {}): OperationEvent => ({
  type: 'AttemptAccepted',
  data: { attempt: 1, provider_reference: 'ref', confirmation_required: false, ...more },
});
const leg = (leg_id: string, amount: string) => ({ leg_id, amount, completed_at, file: true });
const why: Readonly<Record<string, object>> = {
  adjustment: { cause: 'AdjustmentRequested' },
  credit: { cause: 'OperationCompleted', provider: 'sandbox' },
  reserve: { cause: 'ReservationRequested', provider: 'sandbox' },
  capture: { cause: 'OperationPartiallyCompleted', provider: 'sandbox' },
  suspense: { cause: 'LateMoneyReceived', provider: 'sandbox' },
  resolution: { cause: 'LateMoneyReceived', provider: 'sandbox' },
};
const entry = (kind: string, more: object) => ({
  stream: 'ledger-shop-1-RUB',
  type: 'EntryPosted',
  data: { shop_id: shopId, currency: 'RUB', kind, ...more, ...why[kind] },
});
const moves = (amounts: Record<string, string>) =>
  Object.entries(amounts).map(([account, amount]) => ({ account, amount }));

export const switchOf = (type: 'ProviderSwitchedOff' | 'ProviderSwitchedOn') => ({
  stream: 'directory',
  type,
  data: { provider: 'sandbox', reason: 'a test' },
});

function setUp(add: (name: string, event: NewLogEvent) => void): void {
  let set = 0;
  setUpShops({ append: (event) => add(`setup-${(set += 1)}`, event) }, [shopId, otherShopId]);
  add('token', {
    stream: 'operators',
    type: 'AdminTokenIssued',
    data: { token_id: 't', token_hash: 'hash-of-n', name: 'n', role: 'admin', hint: 'abcd' },
  });
  add('switched-off', switchOf('ProviderSwitchedOff'));
  add('switched-on', switchOf('ProviderSwitchedOn'));
  add('breaker', {
    stream: 'provider-sandbox',
    type: 'ProviderBreakerOpened',
    data: { provider: 'sandbox', calls: 25, unknown: 22 },
  });
  staff(add);
}

/**
 * An admin of the shop, and a viewer and an admin that it added: all have signed in, and
 * the first admin has issued a key.
 */
function staff(add: (name: string, event: NewLogEvent) => void): void {
  const stream = `members-${shopId}`;
  const expires_at = '2026-01-31T13:00:00.000Z';
  for (const [member_id, role, actor] of [
    ['anna', 'admin', 'operator:admin'],
    ['vera', 'viewer', 'member:anna'],
    ['boris', 'admin', 'member:anna'],
  ] as const) {
    const issuers = actor === 'operator:admin' ? [actor] : [actor, 'operator:admin'];
    const caller =
      actor === 'operator:admin' ? { tokenId: 'first' } : { linkIssuers: ['operator:admin'] };
    const by = { stream, actor, ...caller };
    const link = { member_id, link_hash: `link-of-${member_id}` };
    add(`${member_id}-added`, {
      ...by,
      type: 'MemberAdded',
      data: { member_id, name: member_id, role },
    });
    add(`${member_id}-link`, { ...by, type: 'MemberLinkIssued', data: { ...link, expires_at } });
    add(`${member_id}-in`, {
      stream,
      actor: `member:${member_id}`,
      linkIssuers: issuers,
      type: 'MemberSignedIn',
      data: link,
    });
  }
  add('members-key', {
    stream: `shop-${shopId}`,
    actor: 'member:anna',
    linkIssuers: ['operator:admin'],
    type: 'ApiKeyIssued',
    data: { key_id: 'key-of-anna', key_hash: 'h-of-anna', label: 'l', hint: 'abcd' },
  });
}

type Writer = {
  add(name: string, event: NewLogEvent): void;
  operation(id: string, given: Record<string, Omit<NewLogEvent, 'stream'>>): void;
};

/** In the order of the log. */
export function validLog(): NamedEvents {
  const events: NamedEvents = new Map();
  const add = (name: string, event: NewLogEvent) => void events.set(name, event);
  const operation: Writer['operation'] = (id, given) => {
    for (const [name, event] of Object.entries(given))
      add(name, { stream: `operation-${id}`, ...event });
  };
  const writer: Writer = { add, operation };
  setUp(add);
  adjust(writer);
  pay(writer);
  proveAndPayLate(writer);
  reserve(writer);
  payOut(writer);
  cancelFirst(writer);
  review(writer);
  const { created: _, ...erasure } = keyEvents(erasedKey);
  for (const [name, event] of Object.entries(erasure)) add(`erasure-${name}`, event);
  approve(writer);
  takeApprovedMoneyBack(writer);
  state(add);
  payInBulk(add);
  add('audited', { ...audited });
  return events;
}

/** A top-up by an operator. */
function adjust({ add }: Writer): void {
  add('adjustment', {
    stream: adjustment,
    type: 'AdjustmentRequested',
    data: {
      shop_id: shopId,
      adjustment_id: 'a-1',
      currency: 'RUB',
      amount: '10.00',
      reason: 'top-up',
    },
  });
  add(
    'adjusted',
    entry('adjustment', {
      adjustment_id: 'a-1',
      reason: 'top-up',
      legs: moves({ balance: '10.00', external: '-10.00' }),
      balance_after: '10.00',
      reserved_after: '0.00',
    }),
  );
  add('adjustment-noted', { stream: adjustment, type: 'AdjustmentPosted', data: { revision: 0 } });
}

const firstReport = {
  operation_id: payment,
  attempt: 1,
  status: 'open',
  legs: [leg('l1', '40.00')],
};

/** A payment in two legs, and its credit. */
function pay({ add, operation }: Writer): void {
  add('key-in-use', keyEvents(retainedKey).created);
  operation(payment, {
    'payment-admitted': admitted(payment, 'order-1', 'payment'),
    'payment-started': { type: 'AttemptStarted', data: { attempt: 1, route: route('payment') } },
    'payment-accepted': accepted({ requisites: { sealed: sealedWith(retainedKey) } }),
    'payment-leg': {
      type: 'LegReceived',
      data: { attempt: 1, leg: leg('l1', '40.00') },
      actor: 'provider:sandbox',
      report: storedCallback(payment, firstReport),
    },
    'payment-completed': {
      type: 'OperationCompleted',
      data: {
        actual_amount: '100.00',
        recorded_amount: '100.00',
        settlement_amount: '97.50',
        commission_amount: '2.50',
        legs: [leg('l2', '60.00')],
      },
    },
  });
  add(
    'credit',
    entry('credit', {
      operation_id: payment,
      legs: moves({ provider: '-100.00', balance: '97.50', commission: '2.50' }),
      balance_after: '107.50',
      reserved_after: '0.00',
    }),
  );
}

/** The payment's receipts, and money received after its terminal status. */
function proveAndPayLate({ add }: Writer): void {
  const item = { attempt: 1, provider: 'sandbox', completed_at, file: true, synthetic: false };
  add('evidence', {
    stream: `receipts-${payment}`,
    type: 'EvidenceMaterialised',
    data: {
      operation_id: payment,
      shop_id: shopId,
      status: 'complete',
      items: [
        { ...item, receipt_id: 'r1', leg_id: 'l1', amount: '40.00' },
        { ...item, receipt_id: 'r2', leg_id: 'l2', amount: '60.00' },
      ],
    },
  });
  const about = {
    operation_id: payment,
    shop_id: shopId,
    merchant_id: 'merchant-1',
    attempt: 1,
    provider: 'sandbox',
  };
  add('late', {
    stream: `late-${payment}`,
    type: 'LateMoneyReceived',
    data: { ...about, currency: 'RUB', leg: leg('l3', '5.00') },
  });
  add(
    'suspense',
    entry('suspense', {
      operation_id: payment,
      leg_id: 'l3',
      legs: moves({ provider: '-5.00', suspense: '5.00' }),
      balance_after: '107.50',
      reserved_after: '0.00',
    }),
  );
  add(
    'resolution',
    entry('resolution', {
      operation_id: payment,
      leg_id: 'l3',
      resolution: 'credit_shop',
      note: 'theirs',
      legs: moves({ suspense: '-5.00', balance: '5.00' }),
      balance_after: '112.50',
      reserved_after: '0.00',
    }),
  );
}

/** A payout whose client's data is erased later, up to its reservation. */
function reserve({ add, operation }: Writer): void {
  add('erased-key', keyEvents(erasedKey).created);
  operation(payout, {
    'payout-admitted': admitted(payout, 'order-2', 'payout', {
      client_id: erasedClient,
      client_ip: { sealed: sealedWith(erasedKey) },
      destination: { sealed: sealedWith(erasedKey), bankname: 'vtb' },
    }),
    'payout-started': { type: 'AttemptStarted', data: { attempt: 1, route: route('payout') } },
    'payout-requested': {
      type: 'ReservationRequested',
      data: { reservation: 1, currency: 'RUB', amount: '102.50' },
    },
  });
  add(
    'reserve',
    entry('reserve', {
      operation_id: payout,
      reservation: 1,
      legs: moves({ balance: '-102.50', reserved: '102.50' }),
      balance_after: '10.00',
      reserved_after: '102.50',
    }),
  );
}

/** The payout's completion with half of its money. */
function payOut({ add, operation }: Writer): void {
  operation(payout, {
    'payout-reserved': { type: 'FundsReserved', data: { reservation: 1, attempt: 1 } },
    'payout-accepted': accepted(),
    'payout-completed': {
      type: 'OperationPartiallyCompleted',
      data: {
        actual_amount: '50.00',
        recorded_amount: '50.00',
        settlement_amount: '51.25',
        commission_amount: '1.25',
        legs: [leg('p1', '50.00')],
      },
      actor: 'provider:sandbox',
      report: storedCallback(
        payout,
        {
          operation_id: payout,
          attempt: 1,
          status: 'partially_completed',
          legs: [leg('p1', '50.00')],
        },
        { keyId: erasedKey },
      ),
    },
  });
  add(
    'capture',
    entry('capture', {
      operation_id: payout,
      reservation: 1,
      legs: moves({ reserved: '-102.50', provider: '50.00', commission: '1.25', balance: '51.25' }),
      balance_after: '61.25',
      reserved_after: '0.00',
    }),
  );
}

/** A cancel received before its create. */
function cancelFirst({ operation }: Writer): void {
  operation(cancelledFirst, {
    'cancelled-first': {
      type: 'OperationCancelledBeforeCreate',
      data: { ...names(cancelledFirst, 'order-3'), reason: 'changed my mind' },
    },
    'cancelled-admitted': admitted(cancelledFirst, 'order-3', 'payment'),
    cancelled: { type: 'OperationCancelled', data: { ...noMoney, reason: 'changed my mind' } },
  });
}

/** A payment that an operator declined. */
function review({ operation }: Writer): void {
  operation(reviewed, {
    'reviewed-admitted': admitted(reviewed, 'order-4', 'payment'),
    'reviewed-started': {
      type: 'AttemptStarted',
      data: { attempt: 1, route: route('payment', { requires_receipt: true }) },
    },
    'reviewed-accepted': accepted({ confirmation_required: true }),
    uploaded: {
      type: 'ReceiptUploaded',
      data: { receipt_id: 'u1', sha256: 'aa', size_bytes: 10, pdf: false },
    },
    checked: { type: 'ManualCheckStarted', data: { receipt_id: 'u1', reason: 'not_terminal' } },
    decided: {
      type: 'ReviewDecided',
      data: { receipt_id: 'u1', decision: 'decline', note: 'forged' },
    },
    'reviewed-declined': { type: 'OperationDeclined', data: { ...noMoney, reason: 'review' } },
    'reviewed-withdrawn': { type: 'AttemptWithdrawn', data: { attempt: 1 } },
  });
}

/**
 * A file with one payout, which was created before, uploaded with a key and confirmed by a member,
 * as the shop requires.
 */
function payInBulk(add: (name: string, event: NewLogEvent) => void): void {
  const of = { batch_id: 'batch-1', shop_id: shopId };
  const money = { amount: '100.00', currency: 'RUB' };
  const row = { merchant_operation_id: 'order-2', client_id: erasedClient, method: 'WT_RUB_C2C' };
  add('batch-rows', {
    stream: 'payout-rows-batch-1',
    type: 'PayoutBatchRowsStored',
    data: { ...of, rows: [{ ...row, ...money, sealed: sealedWith(erasedKey) }] },
  });
  add('batch-checked', {
    stream: 'payout-batch-batch-1',
    type: 'PayoutBatchChecked',
    // As old as checkpoints of all currencies, which tests add to this log.
    schemaVersion: 1,
    data: { ...of, rows: 1, total: { RUB: '100.00' }, errors: [] },
  });
  add('batch-confirmed', {
    stream: 'payout-runs',
    type: 'PayoutBatchConfirmed',
    actor: 'member:anna',
    linkIssuers: ['operator:admin'],
    data: of,
    // The setting must be older than a minute.
    atMs: Date.parse('2026-01-31T12:30:00.000Z'),
    id: confirmationId,
  });
  add('batch-created', {
    stream: 'payout-batch-batch-1',
    type: 'PayoutBatchRowsCreated',
    data: { ...of, results: [{ merchant_operation_id: 'order-2', operation_id: payout }] },
  });
  add('batch-finished', { stream: 'payout-runs', type: 'PayoutBatchFinished', data: of });
}

const statement = { provider: 'sandbox', account: 'default', currency: 'RUB', day: '2026-01-31' };

/**
 * The provider's statement of the day: the money of the payment and the payout, and a fee that
 * an operator has explained.
 */
function state(add: (name: string, event: NewLogEvent) => void): void {
  const line = (number: number, leg_id: string, more: Partial<StoredLine>): StoredLine => ({
    line: number,
    kind: 'transfer',
    direction: 'in',
    leg_id,
    amount: '40.00',
    completed_at,
    ...more,
  });
  const lines = [
    line(1, 'l1', { operation_id: payment, attempt: 1 }),
    line(2, 'l2', { amount: '60.00' }),
    line(3, 'p1', { direction: 'out', amount: '50.00', operation_id: payout, attempt: 1 }),
    line(4, 'f1', { kind: 'fee', direction: 'out', amount: '1.00' }),
  ];
  const balances = { opening_balance: '0.00', closing_balance: '49.00' };
  const digest = hash('sha256', [...lines.map(digestFields), '0.00', '49.00'].join('\n'), 'hex');
  const totals = { lines: 4, total_in: '100.00', total_out: '51.00' };
  const named = { stream: statementStream(statement) };
  const read = { ...statement, import: 1 };
  add('stated-lines', { ...named, type: 'StatementLinesRead', data: { ...read, lines } });
  add('stated', {
    ...named,
    type: 'StatementImported',
    data: { ...read, source: 'provider', ...totals, ...balances, digest },
  });
  add('fee-closed', {
    ...named,
    type: 'StatementFindingClosed',
    data: {
      ...statement,
      finding_id: 'fee:f1',
      finding: 'fee',
      decision: 'explained',
      note: 'the tariff',
    },
  });
}

const [ran] = storedExamples.audit;
const audited: NewLogEvent = {
  stream: 'audit',
  type: ran.type,
  data: ran.data,
  actor: 'auditor:n',
  schemaVersion: 2,
};

const approvedShop = { shop_id: otherShopId };

const approvedEntry = (kind: string, more: object) => {
  const { data: stated, ...rest } = entry(kind, { operation_id: approved, ...more });
  return { ...rest, stream: `ledger-${otherShopId}-RUB`, data: { ...stated, ...approvedShop } };
};

const approvedLate = (type: string, of: ReturnType<typeof leg>) => ({
  stream: `late-${approved}`,
  type,
  data: {
    operation_id: approved,
    ...approvedShop,
    merchant_id: 'merchant-1',
    attempt: 1,
    provider: 'sandbox',
    currency: 'RUB',
    leg: of,
  },
});

/**
 * Approved for 100.00 before any money was received; then 60.00 and 45.00 arrived, 5.00 more
 * than approved.
 */
function approve({ add, operation }: Writer): void {
  const { type, data } = admitted(approved, 'order-5', 'payment');
  operation(approved, {
    'approved-admitted': { type, data: { ...data, ...approvedShop } },
    'approved-started': {
      type: 'AttemptStarted',
      data: { attempt: 1, route: route('payment', { requires_receipt: true }) },
    },
    'approved-accepted': accepted({ confirmation_required: true }),
    'approved-uploaded': {
      type: 'ReceiptUploaded',
      data: { receipt_id: 'u2', sha256: 'bb', size_bytes: 10, pdf: false },
    },
    'approved-checked': {
      type: 'ManualCheckStarted',
      data: { receipt_id: 'u2', reason: 'not_terminal' },
    },
    'approved-decided': {
      type: 'ReviewDecided',
      data: { receipt_id: 'u2', decision: 'approve', actual_amount: '100.00', note: 'seen' },
    },
    'approved-completed': {
      type: 'OperationCompleted',
      data: {
        evidence: 'legs',
        actual_amount: '100.00',
        recorded_amount: '100.00',
        settlement_amount: '97.50',
        commission_amount: '2.50',
        legs: [{ ...leg('o1', '100.00'), file: false, synthetic: true }],
      },
    },
  });
  add(
    'approved-credit',
    approvedEntry('credit', {
      legs: moves({ provider: '-100.00', balance: '97.50', commission: '2.50' }),
      balance_after: '97.50',
      reserved_after: '0.00',
    }),
  );
  add('confirmed', approvedLate('ApprovedMoneyConfirmed', leg('m1', '60.00')));
  add('confirmed-rest', approvedLate('ApprovedMoneyConfirmed', leg('m2', '40.00')));
  add('excess', approvedLate('LateMoneyReceived', leg('m2', '5.00')));
  add(
    'excess-suspense',
    approvedEntry('suspense', {
      leg_id: 'm2',
      legs: moves({ provider: '-5.00', suspense: '5.00' }),
      balance_after: '97.50',
      reserved_after: '0.00',
    }),
  );
}

/** A chargeback of 70.00 for the first transfer, 10.00 more than was received. */
function takeApprovedMoneyBack({ add }: Writer): void {
  add('returned', {
    ...approvedLate('MoneyReturned', leg('b1', '70.00')),
    data: {
      ...approvedLate('', leg('m1', '60.00')).data,
      kind: 'charged_back',
      of_leg_id: 'm1',
      leg: { leg_id: 'b1', amount: '70.00', completed_at },
      beyond: '10.00',
      total: '70.00',
    },
  });
  const back = (kind: string, more: object) => {
    const { data: posted, ...rest } = approvedEntry(kind, {
      leg_id: 'b1',
      of_leg_id: 'm1',
      ...more,
    });
    return { ...rest, data: { ...posted, cause: 'MoneyReturned' } };
  };
  add(
    'returned-suspense',
    back('suspense', {
      legs: moves({ provider: '70.00', suspense: '-70.00' }),
      balance_after: '97.50',
      reserved_after: '0.00',
    }),
  );
  add(
    'returned-resolution',
    back('resolution', {
      resolution: 'charge_shop',
      note: 'the payer was right',
      legs: moves({ suspense: '70.00', balance: '-70.00' }),
      balance_after: '27.50',
      reserved_after: '0.00',
    }),
  );
}
