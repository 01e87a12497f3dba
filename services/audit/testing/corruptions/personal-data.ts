import { retainedKey } from '../stored-reports.ts';
import { sealedWith } from '../valid-log.ts';
import {
  adminService,
  after,
  alteredCallback,
  by,
  change,
  type Corruptions,
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
  'personal.key_destroyed': {
    'a key destroyed without a request': drop('erasure-requested'),
    'a key destroyed that was not the requested one': after('erasure-erased', {
      stream: `personal-key-${retainedKey}`,
      type: '$streamDeleted',
      data: null,
    }),
  },
  'personal.erasure': {
    'an erasure recorded as complete while the key exists': drop('erasure-destroyed'),
    'an erasure that is never completed': drop('erasure-erased'),
    'an erasure that no operator requested': by('erasure-requested', adminService),
  },
} satisfies Corruptions;
