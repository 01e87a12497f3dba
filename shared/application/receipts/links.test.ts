import { expect, it } from 'vitest';
import { createReceiptLinks, receiptLinkLifetimeMs } from './links.ts';

const [operationId, receiptId] = [
  '0f9f2f64-7d3e-8a53-9f0c-3f3f3f3f3f3f',
  '1e8e1e53-6c2d-4942-8e0b-2e2e2e2e2e2e',
];
let nowMs = Date.parse('2026-01-31T12:00:00.000Z');
const settings = {
  baseUrl: 'https://gateway.test/base',
  secret: 'a-secret-of-receipt-links',
  now: () => nowMs,
};
const links = createReceiptLinks(settings);
const url = links.urlOf(operationId, receiptId);
const path = url.slice(settings.baseUrl.length);

it('creates an absolute URL with an expiry time and a signature', () => {
  expect(url).toMatch(
    new RegExp(
      `^https://gateway.test/base/receipts/${operationId}/${receiptId}\\?expires=1769861700&signature=[\\w-]{43}$`,
    ),
  );
  expect(links.isValid(path)).toBe(true);
});

it('accepts a link for fifteen minutes (R10.8)', () => {
  nowMs += receiptLinkLifetimeMs - 1;
  expect(links.isValid(path)).toBe(true);
  nowMs += 1;
  expect(links.isValid(path)).toBe(false);
  nowMs -= receiptLinkLifetimeMs;
});

it('rejects a link with any byte altered (R10.8)', () => {
  const altered = [
    `${path}&x=1`,
    `${path}=`,
    path.toUpperCase(),
    path.replace('?', '?x=1&'),
    path.replace(/expires=(\d+)&(signature=.*)$/, '$2&expires=$1'),
    path.replace(/&signature.*/, ''),
    path.replace(operationId, receiptId),
    '',
  ];
  for (let at = 0; at < path.length; at += 1) {
    const [before, after] = [path.slice(0, at), path.slice(at + 1)];
    altered.push(
      before + after,
      ...['0', 'A', '_', '/', '%'].map((other) => before + other + after),
    );
  }
  expect(altered.filter((each) => each !== path && links.isValid(each))).toEqual([]);
});

it('rejects a link signed with another secret', () => {
  const others = createReceiptLinks({ ...settings, secret: 'another-secret-of-receipt-links' });
  expect(others.isValid(path)).toBe(false);
});

it('accepts links signed with the previous secret, but signs none with it', () => {
  const [before, after] = ['a-secret-of-receipt-links', 'the-secret-that-comes-after-it'];
  const changed = createReceiptLinks({ ...settings, secret: after, previousSecret: before });
  expect(changed.isValid(path)).toBe(true);
  const own = changed.urlOf(operationId, receiptId).slice(settings.baseUrl.length);
  expect([changed.isValid(own), links.isValid(own)]).toEqual([true, false]);
  // Instances that still sign with the old secret already accept links signed with the new one.
  expect(createReceiptLinks({ ...settings, previousSecret: after }).isValid(own)).toBe(true);
});
