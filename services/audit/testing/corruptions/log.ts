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
  signedReport,
  withReport,
  written,
} from './changes.ts';

export const logOrder = {
  'log.position_order': {
    'an event out of position order': written('ShopCreated', { position: 1 }),
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
