import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { restoreTime, withTime } from '#shared/platform/event-store/reading/recorded-before.ts';
import { newId } from '#shared/platform/ids.ts';
import { retainedKey, storedCallback } from '../stored-reports.ts';
import { payment, payout, shopId } from '../valid-log.ts';
import {
  after,
  all,
  alteredCallback,
  by,
  change,
  type Corruptions,
  corruptionsFor,
  type Data,
  find,
  followedBy,
  processor,
  sandbox,
  set,
  shopOfOlderVersion,
  signedReport,
  twoDaysLater,
  withReport,
  written,
} from './changes.ts';

const dated = (time: string) => written('LegReceived', { createdTicks: `${Date.parse(time)}0000` });
/** Gives an event of the written log metadata that name a time, as a reader gets it. */
function nameTime(event: RawEvent, ticks: string): void {
  event.metadata = withTime({ ...event, createdTicks: ticks });
  restoreTime(event);
}

const recordedBefore = (type: string) => ({
  written: (log: RawEvent[]) =>
    nameTime(find(log, type), `${Date.parse('2026-01-01T00:00:00.000Z')}0000`),
});

/** Lets an event of the written log name its cause. */
const causedBy = (causation_id: string) => ({
  written: (log: RawEvent[]) => {
    const event = find(log, 'ReservationRequested');
    const metadata = JSON.parse(event.metadata.toString()) as object;
    event.metadata = Buffer.from(JSON.stringify({ ...metadata, causation_id }));
  },
});

export const logOrder = {
  'log.position_order': {
    'an event out of position order': written('ShopCreated', { position: 1 }),
  },
  'log.time_order': {
    'an event a day before the one that precedes it': dated('2026-01-30T12:00:00.000Z'),
    'an event of a clock that was ahead': dated('2026-02-01T12:00:00.000Z'),
    'an event from the future': dated('2999-01-01T00:00:00.000Z'),
    'a clock that is set back again and again, each time by less than ten seconds': {
      written: (log) => {
        const last = Number(log.at(-1)?.createdTicks);
        for (const [at, event] of log.slice(-5).entries())
          event.createdTicks = String(last - at * 99_000_000);
      },
    },
  },
  'log.revision_gap': {
    'a gap in the revisions': written('LegReceived', { revision: 9 }),
    'a gap in the revisions of a key': written('PersonalKeyCreated', { revision: 5 }),
  },
  'log.duplicate_event_id': {
    'a duplicate event id': {
      written: (log) => void (find(log, 'LegReceived').id = find(log, 'ShopCreated').id),
    },
  },
  'log.undecodable': {
    'data that does not match its schema': change('payment-leg', { leg: { leg_id: 7 } }),
    'an unknown event type': followedBy('payment-leg', 'OperationBlessed', {}),
    'invalid JSON': written('LegReceived', { data: Buffer.from('{') }),
    'an unknown kind of stream': after('token', { stream: 'secrets', type: 'Unknown', data: {} }),
  },
  'log.newer_version': {
    'an admission with a future schema version': set('payment-admitted', { schemaVersion: 99 }),
  },
  'log.metadata': {
    'metadata without an actor': written('LegReceived', {
      metadata: Buffer.from('{"correlation_id":"c","schema_version":1}'),
    }),
    'a cause that is no event of the log': causedBy(newId()),
    'a cause that is no id': causedBy('payment-leg'),
    'a cause that comes later': {
      written: (log) => causedBy(find(log, 'AuditRan').id).written(log),
    },
    'a callback attributed to a service': by('payment-leg', processor),
    'a callback with an additional signature': alteredCallback({ signature: 'v1,AAAA' }),
    'a callback stored with an event of no operation': all(
      by('credit', sandbox),
      withReport('credit', storedCallback(payment, signedReport)),
    ),

    ...corruptionsFor(['{', 'null', '{}'], (text) => [
      `the metadata ${text}`,
      written('LegReceived', { metadata: Buffer.from(text) }),
    ]),
    ...corruptionsFor<Data>(
      [
        { correlation_id: '' },
        { schema_version: 0 },
        { key_id: '' },
        { key_id: 'k' },
        { token_id: 't' },
        { link_issuers: ['member:anna'] },
        { actor: 'member:anna', link_issuers: [] },
      ],
      (fields) => [
        `metadata with ${JSON.stringify(fields)}`,
        written('LegReceived', {
          metadata: Buffer.from(
            JSON.stringify({
              correlation_id: 'c',
              actor: 'service:s',
              schema_version: 1,
              ...fields,
            }),
          ),
        }),
      ],
    ),
  },
  'log.time': {
    'an adjustment that names a time long before': recordedBefore('AdjustmentRequested'),
    'an event after copies of another log that was not moved': {
      written: (log) => {
        for (const event of log.slice(0, 5)) nameTime(event, event.createdTicks);
      },
    },
  },
  'log.older_version': {
    'an acceptance of a version before those of the shop': set('payment-accepted', {
      schemaVersion: 1,
    }),
    'an acceptance of an older version two days after an upgrade': all(
      shopOfOlderVersion,
      set('approved-accepted', { schemaVersion: 1, ...twoDaysLater }),
    ),
    'an admission of an older version after one of the newest': set('payout-admitted', {
      schemaVersion: 3,
    }),
  },
  'log.wrong_stream': {
    'the admission of another operation': change('payment-admitted', { operation_id: payout }),
    'an entry of another shop': change('adjusted', { shop_id: 'shop-2' }),
    'a payout file in the stream of another': change('batch-checked', { batch_id: 'batch-2' }),

    'a late fact of another operation': change('late', { operation_id: payout }),
    'receipts of another operation': change('evidence', { operation_id: payout }),
    'another key in the stream of a key': change('erased-key', { key_id: retainedKey }),
    'the erasure of another key': change('erasure-requested', { key_id: retainedKey }),
    'a provider in the stream of another': change('breaker', { provider: 'other' }),
  },
  'log.truncated': {
    'a ledger stream with $maxAge': after('token', {
      stream: `$$ledger-${shopId}-RUB`,
      type: '$metadata',
      data: { $maxAge: 60 },
    }),
    'a deleted stream': after('late', {
      stream: `late-${payment}`,
      type: '$streamDeleted',
      data: null,
    }),
  },
} satisfies Corruptions;
