import { expect, it } from 'vitest';
import { readAuditArguments } from './arguments.ts';

const shop = 'c0a80101-0000-4000-8000-000000000001';

const ofShop = { shopId: shop, atMs: Date.parse('2026-01-31T09:00:00Z') };

it.each([
  [`--json --shop ${shop} --at 2026-01-31T12:00:00+03:00`, { json: true, ...ofShop }],
  ['--log-only', { json: false, logOnly: true, language: 'en' }],
  ['--checkpoint c --since s', { checkpointFile: 'c', sinceFile: 's' }],
  ['--checkpoints d --public-key p', { checkpointFolder: 'd', publicKeyFile: 'p' }],
  ['--since s --public-key p', { sinceFile: 's', publicKeyFile: 'p' }],
  ['--report r.html --language ru', { reportFile: 'r.html', language: 'ru' }],
  ['--findings f.csv --record Анна', { findingsFile: 'f.csv', recordAs: 'auditor:Анна' }],
  ['--scheduled --pace 5000', { recordAs: 'service:audit', pace: 5_000 }],
])('parses %s (R18.9)', (line, expected) => {
  expect(readAuditArguments(line.split(' '))).toMatchObject(expected);
});

it('has defaults, and can ask for help', () => {
  expect(readAuditArguments([])).toEqual({
    json: false,
    logOnly: false,
    quiet: false,
    language: 'en',
  });
  expect(readAuditArguments(['--help'])).toEqual({ help: true });
});

it.each([
  [['--shop']],
  [['--shop=']],
  [['--shop', 'my-shop']],
  [['--at', 'yesterday']],
  [['--at', '2026-01-31']],
  [['--at', '2026-13-31T12:00:00Z']],
  [['--public-key', 'p']],
  [['--checkpoints', 'd', '--since', 's']],
  [['--checkpoints', 'd', '--checkpoint', 'c']],
  [['--report', 'r', '--language', 'de']],
  [['--language', 'ru']],
  [['--record', 'a:b\n']],
  [['--record', 'anna', '--scheduled']],
  [['--scheduled', '--at', '2026-01-31T12:00:00Z']],
  [['--pace', '0']],
  [['--everything']],
  [['now']],
])('reports the problem with %j', (args) => {
  expect(readAuditArguments(args)).toHaveProperty('problem');
});
