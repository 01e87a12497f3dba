import { isTerminal, type Operation } from '#shared/domain/operation/state.ts';
import { problems } from '#shared/platform/http/problems.ts';
import type { Told } from '../load/history.ts';
import type { Find } from './finding.ts';

type Status = Operation['status'];
type View = Readonly<Record<string, unknown>> & { readonly status: Status };
type Shown = Omit<Told, 'body'> & { readonly body: View };

/** What an operation was asked to be. */
type Order = {
  readonly type: 'payment' | 'payout';
  readonly method: string;
  readonly amount: string;
};

/** Where a status may lead, in one step or several (R6.2). */
const ends = ['completed', 'partially_completed', 'declined'] as const;
const allEnds = [...ends, 'expired', 'cancelled'] as const;
const leadsTo: Readonly<Partial<Record<Status, readonly Status[]>>> = {
  pending: ['awaiting_confirmation', 'manual_check', ...allEnds],
  awaiting_confirmation: ['manual_check', ...allEnds],
  manual_check: ends,
};

/** Never another, once shown. */
const lasting = [
  'operation_id',
  'type',
  'method',
  'currency',
  'expected_amount',
  'settlement_currency',
];
const requisites = [
  'number',
  'name',
  'bankname',
  'bankname_details',
  'transfer_purpose',
  'expires_at',
];
/** Of where and when an answer was given, or only in a read, and what comes after the end. */
const passing = [
  'receipts',
  'receipt_evidence_status',
  'payment_url',
  'merchant_operation_id',
  'client_id',
  'created_at',
  'returned_amount',
];

/** Everything that was said of one operation holds together and stays true. */
export function checkAnswers(order: Order, told: readonly Told[], find: Find): void {
  checkProblems(told, find);
  const shown = told.filter(
    (answer): answer is Shown =>
      ['create', 'other', 'read', 'confirm'].includes(answer.what) && answer.status === 200,
  );
  const creates = told.filter(({ what, status }) => what === 'create' && status < 500);
  const cancels = told.filter(({ what, status }) => what === 'cancel' && status === 200);
  checkIdentity(told, find);
  checkFacts(shown, find);
  checkCourse(shown, find);
  checkCreates(order, { creates, shown, told }, find);
  checkCancels({ cancels, shown, told }, find);
  checkReads(told, find);
}

/** Every status that may be answered here, and what a 503 says. */
function checkProblems(told: readonly Told[], find: Find): void {
  const usual: Readonly<Record<string, readonly number[]>> = {
    create: [200, 412, 422],
    other: [200, 412, 422],
    cancel: [200, 412],
    read: [200, 404],
    confirm: [200, 412],
    page: [200],
  };
  for (const answer of told) {
    const { what, status, body, retryAfter } = answer;
    if (usual[what]?.includes(status)) continue;
    if (status !== 503) find('an answer has a status that nothing explains', answer);
    else if (what !== 'page' && problems[body.code as keyof typeof problems]?.status !== 503)
      find('a 503 has no code of one', answer);
    else if (!retryAfter) find('a 503 does not say when to come back', answer);
  }
}

function checkIdentity(told: readonly Told[], find: Find): void {
  const ids = told.flatMap(({ body }) => body?.operation_id ?? body?.operation?.operation_id ?? []);
  if (new Set(ids).size > 1) find('one key has several operations', [...new Set(ids)]);
}

function checkFacts(shown: readonly Shown[], find: Find): void {
  const [first] = shown;
  if (first === undefined) return;
  const last = new Map<string, unknown>();
  for (const answer of shown) {
    for (const name of [...lasting, ...requisites]) {
      const value = answer.body[name];
      if (value === undefined) continue;
      if (last.has(name) && last.get(name) !== value)
        find(`${name} has changed`, [last.get(name), answer]);
      last.set(name, value);
    }
    if (answer.body.status !== 'cancelled') continue;
    const leaked = [...requisites, 'external_confirmation'].filter((name) => name in answer.body);
    if (leaked.length > 0) find(`what was cancelled shows ${leaked.join(', ')}`, answer);
    if (typeof answer.body['payment_url'] === 'string')
      find('what was cancelled has a page', answer);
  }
}

/** Statuses come in an order that is allowed, and an end is the end, to the last figure. */
function checkCourse(shown: readonly Shown[], find: Find): void {
  const ended = shown.filter(({ body }) => isTerminal(body.status));
  const [end] = ended;
  for (const other of ended) {
    if (end && textOf(other.body) !== textOf(end.body))
      find('an end was shown in two ways', [end, other]);
  }
  const inOrder = shown.toSorted((left, right) => left.toldMs - right.toldMs);
  for (const later of inOrder) {
    for (const earlier of inOrder) {
      if (earlier.toldMs > later.askedMs) break;
      const from: Status = earlier.body.status;
      const to: Status = later.body.status;
      if (from !== to && !leadsTo[from]?.includes(to))
        find(`${from} became ${to}`, [earlier, later]);
      if (Number(earlier.body['actual_amount']) > Number(later.body['actual_amount']))
        find('money that was shown has gone', [earlier, later]);
    }
  }
}

function textOf(view: View): string {
  const facts = Object.entries(view).filter(([name]) => !passing.includes(name));
  return JSON.stringify(facts.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

type Creates = {
  readonly creates: readonly Told[];
  readonly shown: readonly Shown[];
  readonly told: readonly Told[];
};

function checkCreates(order: Order, { creates, shown, told }: Creates, find: Find): void {
  const others = told.filter(({ what, status }) => what === 'other' && status < 500);
  const takenByOther = others.some(({ status }) => status !== 412);
  const cancelled = told.some(({ what, status }) => what === 'cancel' && status === 200);
  for (const answer of creates) {
    const { status, body, replayed, askedMs } = answer;
    if (status === 412) {
      const taken = takenByOther || (order.type === 'payout' && cancelled);
      if (!taken || body.code !== 'idempotency_body_mismatch')
        find('a create was refused for another that nobody sent', answer);
      continue;
    }
    if (takenByOther) find('two bodies were taken under one key', [answer, others]);
    if (status === 200) {
      const { type, method, expected_amount: amount } = body;
      if (type !== order.type || method !== order.method || amount !== order.amount)
        find('a create was answered with what was not ordered', answer);
    }
    const before = creates.some((other) => other.toldMs <= askedMs);
    if (before && !replayed) find('a repeat is not said to be one', answer);
  }
  const rejected = creates.find(({ status }) => status === 422);
  const alive = rejected && shown.find(({ body }) => body.status !== 'declined');
  if (alive) find('what was rejected lives on', [rejected, alive]);
  for (const group of [creates, others]) {
    const [first] = group;
    for (const answer of group) {
      if (first && outcomeOf(answer) !== outcomeOf(first))
        find('the same create was answered in two ways', [first, answer]);
    }
  }
}

/** A rejection is remembered word for word. */
const outcomeOf = ({ status, body }: Told) =>
  JSON.stringify(status === 422 ? [status, body.code, body.detail] : [status]);

type Cancels = {
  readonly cancels: readonly Told[];
  readonly shown: readonly Shown[];
  readonly told: readonly Told[];
};

function checkCancels({ cancels, shown, told }: Cancels, find: Find): void {
  const [first] = cancels;
  if (first === undefined) return;
  const { outcome, operation } = first.body;
  for (const other of cancels) {
    if (other.body.outcome !== outcome || other.body.operation.status !== operation.status)
      find('a repeated cancel was decided anew', [first, other]);
  }
  const end = operation.status as Status;
  if (!isTerminal(end) || (end === 'cancelled') !== (outcome === 'cancelled'))
    find('a cancel was answered with what is no end', first);
  for (const { body, ...rest } of shown) {
    if (isTerminal(body.status) && body.status !== end)
      find('a cancel and an answer tell of two ends', [first, { body, ...rest }]);
    if (rest.askedMs >= first.toldMs && body.status !== end)
      find('what a cancel has ended goes on', [first, { body, ...rest }]);
  }
  if (outcome !== 'cancelled') return;
  const numbers = shown.flatMap(({ body }) =>
    typeof body['number'] === 'string' ? [body['number']] : [],
  );
  for (const page of told) {
    if (page.what !== 'page' || page.askedMs < first.toldMs) continue;
    const digits = String(page.body.text).replaceAll(/[^\d]/g, '');
    if (numbers.some((number) => digits.includes(number.replaceAll(/[^\d]/g, ''))))
      find('the page of what was cancelled shows where to pay', page);
  }
}

/** An operation that was answered once is found from then on. */
function checkReads(told: readonly Told[], find: Find): void {
  const known = told.filter(
    ({ what, status }) =>
      (what === 'create' && (status === 200 || status === 422)) ||
      (what === 'read' && status === 200),
  );
  for (const read of told) {
    if (read.what !== 'read' || read.status !== 404) continue;
    const before = known.find(({ toldMs }) => toldMs <= read.askedMs);
    if (before) find('what was told of is not there', [before, read]);
  }
}
