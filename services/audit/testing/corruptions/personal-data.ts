import { erasedKey, retainedClient, retainedKey } from '../stored-reports.ts';
import { otherShopId, sealedWith } from '../valid-log.ts';
import {
  adminService,
  after,
  again,
  alteredCallback,
  by,
  change,
  type Corruptions,
  type Data,
  dataOf,
  drop,
  request,
  signedReport,
} from './changes.ts';

export const personalData = {
  'personal.in_clear': {
    requisites: change('payment-accepted', { requisites: { number: '2200' } }),
    'a row of a payout file': change('batch-rows', {
      rows: [{ ...request, merchant_operation_id: 'order-9', sealed: '2200' }],
    }),
    'the name of a payout file': change('batch-checked', { sealed_file: 'salaries.csv' }),
    'a client IP address': change('payment-admitted', {
      request: { ...request, client_ip: '192.0.2.1' },
    }),
    metadata: change('payment-admitted', {
      body_hash: { rest: 'f0e4c2f7', personal: { key_id: retainedKey, hmac: 'hmac' } },
      request: { ...request, metadata: { opened: { 'order.id': '1042' } } },
    }),
    'a value that only looks sealed': change('payment-admitted', {
      request: { ...request, client_ip: { sealed: '192.0.2.1' } },
    }),
    'an unkeyed hash of the whole body': change('payment-admitted', {
      body_hash: { whole: 'f0e4c2f7' },
    }),
    'an unkeyed hash that covers a client IP address': change('payment-admitted', {
      body_hash: { rest: 'f0e4c2f7' },
      request: { ...request, client_ip: { sealed: sealedWith(retainedKey) } },
    }),
    'a callback': alteredCallback({ sealed: JSON.stringify(signedReport) }),
  },
  'personal.key_missing': {
    'a body hash with an unknown key': change('payment-admitted', {
      body_hash: { rest: 'f0e4c2f7', personal: { key_id: 'c'.repeat(22), hmac: 'ab' } },
    }),
    'data sealed with an unknown key': drop('key-in-use'),
    'a missing key that was not destroyed': drop(
      'erased-key',
      'erasure-retired',
      'erasure-destroyed',
    ),
    'a callback sealed with an unknown key': alteredCallback({
      sealed: sealedWith('c'.repeat(22)),
    }),
  },
  'personal.client_key': {
    'the name of a payout file, with a client’s key': change('batch-checked', {
      sealed_file: sealedWith(retainedKey),
    }),
    'requisites encrypted with the key of another client': change('payment-accepted', {
      requisites: { sealed: sealedWith(erasedKey) },
    }),
    'a destination encrypted with the key of another client': (events) => {
      const admitted = dataOf(events, 'payout-admitted')['request'] as Data;
      Object.assign(admitted, { destination: { sealed: sealedWith(retainedKey) } });
    },
    'a body hash with the key of another client': change('payout-admitted', {
      body_hash: { rest: 'f0e4c2f7', personal: { key_id: retainedKey, hmac: 'hmac' } },
    }),
    'a row of a payout file encrypted with the key of another client': (events) => {
      const [row] = dataOf(events, 'batch-rows')['rows'] as Data[];
      Object.assign(row as Data, { sealed: sealedWith(retainedKey) });
    },
    'an erasure of the key of another client': change('erasure-requested', {
      client_id: retainedClient,
    }),
    'requisites encrypted with a key that was created for another shop': change('key-in-use', {
      shop_id: otherShopId,
    }),
  },
  'personal.key_destroyed': {
    'a key destroyed without a request': drop('erasure-requested'),
    'a key retired twice': again('erasure-retired'),
    'a key destroyed that was not the requested one': after('erasure-erased', {
      stream: `personal-key-${retainedKey}`,
      type: '$streamDeleted',
      data: null,
    }),
  },
  'personal.erasure': {
    'an erasure recorded as complete while the key exists': drop('erasure-destroyed'),
    'an erasure requested twice': again('erasure-requested'),
    'an erasure completed twice': again('erasure-erased'),
    'an erasure that is never completed': drop('erasure-erased'),
    'an erasure that no operator requested': by('erasure-requested', adminService),
  },
} satisfies Corruptions;
