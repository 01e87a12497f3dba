import { isTerminal, type Operation } from '#shared/domain/operation/state.ts';
import type { Arrival } from '../sink.ts';
import type { Find } from './finding.ts';
import type { Final } from './rest.ts';

/** In a webhook as in an answer; the rest is left out of one of them (R14.2). */
const notInBoth = [
  'number',
  'name',
  'receipts',
  'receipt_evidence_status',
  'payment_url',
  'merchant_operation_id',
  'client_id',
  'created_at',
  'returned_amount',
];

/** Whether all that an operation owes has come, as far as its merchant can know. */
export function hasAll({ acted, view }: Final, arrivals: readonly Arrival[]): boolean {
  return missing({ acted, view }, arrivals) === undefined;
}

function missing({ acted, view }: Final, arrivals: readonly Arrival[]): string | undefined {
  if (view === undefined) return undefined;
  const taken = arrivals.filter(({ takenAt }) => takenAt !== undefined);
  const has = (sequence: number) => taken.some((arrival) => arrival.sequence === sequence);
  const status = view['status'] as Operation['status'];
  const end = taken.find(({ type }) => type === `${view['type']}.${status}`);
  if (isTerminal(status) && end === undefined) return `${view['type']}.${status}`;
  const awaited = acted.told.some(({ body }) => body?.status === 'awaiting_confirmation');
  const least = Math.max(awaited ? 1 : 0, ...taken.map(({ sequence }) => sequence));
  for (let sequence = 1; sequence <= least; sequence += 1) {
    if (!has(sequence)) return `the one with sequence ${sequence}`;
  }
  return undefined;
}

/** Every webhook that was owed came, in order, and says what the operation shows (R14.2). */
export function checkWebhooks(final: Final, arrivals: readonly Arrival[], find: Find): void {
  const { acted, view } = final;
  const { operationId, story } = acted;
  const say = (what: string) =>
    find(what, {
      key: story.key,
      operationId,
      view,
      arrivals: arrivals.map(({ id, type, sequence, arrivedAt, takenAt }) => [
        id,
        type,
        sequence,
        arrivedAt,
        takenAt,
      ]),
    });
  const lacks = missing(final, arrivals);
  if (lacks !== undefined) say(`a webhook never came: ${lacks}`);
  if (view === undefined && arrivals.length > 0) say('a webhook tells of what is not there');

  for (const same of Map.groupBy(arrivals, ({ id }) => id).values()) {
    if (new Set(same.map(({ body }) => body)).size > 1)
      say('a webhook came again with another body');
  }
  const messages = [...new Map(arrivals.map((arrival) => [arrival.id, arrival])).values()];
  if (new Set(messages.map(({ sequence }) => sequence)).size < messages.length)
    say('two webhooks have the same sequence');
  const ends = messages.filter(({ type }) => !type.endsWith('.awaiting_confirmation'));
  if (ends.length > 1) say('an operation ended twice, to its webhooks');
  const [end] = ends;
  if (end && view && differs(view, end.operation)) say('a webhook and an answer tell of two ends');
  if (end && messages.some(({ sequence }) => sequence > end.sequence))
    say('a webhook came after the end');

  for (const arrival of arrivals) {
    const { sequence, arrivedAt } = arrival;
    const before = ({ takenAt }: Arrival) => takenAt !== undefined && takenAt < arrivedAt;
    const overtakes =
      sequence > 1 && !arrivals.some((other) => other.sequence === sequence - 1 && before(other));
    const late = arrivals.some((other) => other.sequence > sequence && other.arrivedAt < arrivedAt);
    if (overtakes || late) say('webhooks of an operation came out of order');
  }
}

function differs(view: Final['view'] & object, operation: Arrival['operation']): boolean {
  return Object.keys({ ...view, ...operation })
    .filter((name) => !notInBoth.includes(name))
    .some((name) => JSON.stringify(view[name]) !== JSON.stringify(operation[name]));
}
