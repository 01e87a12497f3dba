import { expect, it } from 'vitest';
import { readArguments } from './arguments.ts';

const shop = 'c0a80101-0000-4000-8000-000000000001';

it('parses the command line (R18.9)', () => {
  expect(readArguments([])).toEqual({ json: false, logOnly: false, language: 'en' });
  expect(
    readArguments(['--json', '--shop', shop, '--at', '2026-01-31T12:00:00+03:00', '--log-only']),
  ).toEqual({
    json: true,
    logOnly: true,
    language: 'en',
    shopId: shop,
    atMs: Date.parse('2026-01-31T09:00:00Z'),
  });
  expect(readArguments(['--checkpoint', 'c', '--since', 's', '--public-key', 'p'])).toMatchObject({
    checkpointFile: 'c',
    sinceFile: 's',
    publicKeyFile: 'p',
  });
  expect(readArguments(['--checkpoints', 'd', '--public-key', 'p'])).toMatchObject({
    checkpointFolder: 'd',
    publicKeyFile: 'p',
  });
  expect(
    readArguments([
      '--report',
      'r.html',
      '--findings',
      'f.csv',
      '--language',
      'ru',
      '--record',
      'Анна',
    ]),
  ).toMatchObject({
    reportFile: 'r.html',
    findingsFile: 'f.csv',
    language: 'ru',
    recordAs: 'auditor:Анна',
  });
  expect(readArguments(['--scheduled', '--pace', '5000'])).toMatchObject({
    recordAs: 'service:audit',
    pace: 5_000,
  });
  expect(readArguments(['--help'])).toEqual({ help: true });
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
  expect(readArguments(args)).toHaveProperty('problem');
});
