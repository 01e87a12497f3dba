import { afterEach, expect, it, vi } from 'vitest';
import { ConfigError } from '#shared/platform/config/load.ts';
import { maskPassword, parseConnectionString } from './connection-string.ts';

const warn = vi.spyOn(console, 'warn');
const emitted = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
afterEach(() => {
  warn.mockClear();
  emitted.mockClear();
});

function problemOf(text: string): string | undefined {
  try {
    parseConnectionString(text);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.join();
    throw error;
  }
}

it.each([
  ['kurrentdb://admin:hunter2@db?hunter2=y@db', 'no option with one of these names'],
  ['esdb://admin:hunter2@db-1?tls=true&tlsVerifyCert=false', 'tlsVerifyCert=false has no effect'],
  ['esdb://admin:hunter2@db-1?tls_verify-cert=false', 'tlsVerifyCert=false has no effect'],
  ['esdb://admin:hunter2@db-1?nodePreference=hunter2', 'must be esdb://'],
  ['esdb://admin:hunter2@db-1?tls', 'must be esdb://'],
  ['postgres://admin:hunter2@db-1', 'must be esdb://'],
])('refuses %s, and prints no password', (text, problem) => {
  expect(problemOf(text)).toContain(problem);
  expect(problemOf(text)).not.toContain('hunter2');
  expect(warn).not.toHaveBeenCalled();
  expect(emitted).not.toHaveBeenCalled();
});

it.each([
  'esdb://db-1',
  'esdb://admin:hunter2@db-1:2113,db-2:2113?tls=false&nodePreference=leader',
  'esdb://admin:a?b=c&d=e@db-1?tls=false',
  'kdb+discover://db:2113?tls=false&tlsVerifyCert=true&maxDiscoverAttempts=3&discoveryInterval=100',
  'esdb://db?tls=false&connectionName=gateway&defaultDeadline=9000&gossipTimeout=3',
  'esdb://db?tls=false&keepAliveInterval=10000&keep_alive_timeout=10000&throwOnAppendFailure=true',
  'esdb://admin:hunter2@db-1?tls=false&tlsVerifyCert=false',
  'kurrentdb://db-1?tls_verify-cert=false&tls=false&nodePreference=leader',
])('takes %s without a word', (text) => {
  expect(problemOf(text)).toBeUndefined();
  expect(warn).not.toHaveBeenCalled();
  expect(emitted).not.toHaveBeenCalled();
});

it.each([
  ['esdb://admin:hunter2@db-1:2113?tlsVerfyCert=false', ['tlsVerfyCert']],
  ['esdb+discover://admin:hunter2@db?feature=y&tls=false&other-one=z', ['feature', 'other-one']],
  ['kurrentdb://admin:hunter2@db-1,db-2/?tls=false&dnsDiscover=true', ['dnsDiscover']],
])('takes %s, and warns once of each option that the client ignores', (text, names) => {
  expect([problemOf(text), problemOf(text)]).toEqual([undefined, undefined]);
  expect(warn).not.toHaveBeenCalled();
  expect(emitted.mock.calls).toEqual(
    names.map((name) => [`EVENT_STORE_URL: the client has no option ${name}, so it is ignored`]),
  );
});

it('shows a connection string without its password', () => {
  const shown = [
    'esdb://admin:hunter2@db-1:2113?tls=true',
    'esdb://admin:hun@ter?2@db-1',
    'esdb://a:1',
  ];
  expect(shown.map(maskPassword)).toEqual([
    'esdb://admin:<password>@db-1:2113?tls=true',
    'esdb://admin:<password>@db-1',
    'esdb://a:1',
  ]);
});
