import { EventStoreDBClient } from '@eventstore/db-client';
import { ConfigError } from '#shared/platform/config/load.ts';

/**
 * The client for the connection string in a variable or an option; it connects when it is first
 * used. Options that it does not have are left out, with a warning. @throws ConfigError without the
 * text, which may hold a password
 */
export function parseConnectionString(
  text: string,
  source = 'EVENT_STORE_URL',
): EventStoreDBClient {
  const { taken, ignored, problem } = withoutIgnored(text);
  if (problem !== undefined) throw new ConfigError([`${source}: ${problem}`]);
  warnOnce(source, ignored);
  try {
    // The client has only the older name of the protocol.
    return EventStoreDBClient.connectionString(taken.replace(/^(kurrentdb|kdb)(?=[:+])/, 'esdb'));
  } catch {
    throw new ConfigError([
      `${source}: must be esdb://[user:password@]host[:port], several hosts separated by commas, and ?option=value for options of the client`,
    ]);
  }
}

/** A connection string to be shown, on a screen or in a log. */
export const maskPassword = (text: string): string =>
  text.replace(/^(\w+(?:\+\w+)?:\/\/[^:@/?]+):.*@/s, '$1:<password>@');

/** The client's options, as it compares their names. */
const knownOptions: ReadonlySet<string> = new Set([
  'usercertfile',
  'userkeyfile',
  'maxdiscoverattempts',
  'connectionname',
  'defaultdeadline',
  'discoveryinterval',
  'gossiptimeout',
  'nodepreference',
  'tls',
  'tlsverifycert',
  'tlscafile',
  'throwonappendfailure',
  'keepaliveinterval',
  'keepalivetimeout',
]);

type Option = { text: string; name: string; key: string; value: string };

function readOption(text: string): Option {
  const [name = '', value = ''] = text.split('=').map((part) => part.trim());
  return { text, name, key: name.toLowerCase().replaceAll(/[_-]/g, ''), value };
}

/**
 * The text without the options that the client ignores, because for those it prints the whole text,
 * with the password in it. `ignored`: their names.
 */
function withoutIgnored(text: string): { taken: string; ignored: string[]; problem?: string } {
  const [, before = '', rest = ''] =
    /^(\w+(?:\+\w+)?:\/\/(?:[^:]+:[^@]+@)?)(.*)$/s.exec(text.trim()) ?? [];
  const [hosts = '', ...parts] = rest.split(/[?&]/);
  const options = parts.map(readOption);
  const isUnknown = ({ text: option, key }: Option) =>
    option.includes('=') && !knownOptions.has(key);
  const isUnverified = ({ key, value }: Option) => key === 'tlsverifycert' && value === 'false';
  const ignored = options.filter(isUnknown).map(({ name }) => name);
  const none = { taken: text, ignored: [] };
  // After an @ that is not encoded, the rest of a password looks like an option.
  if (ignored.length > 0 && rest.includes('@'))
    return {
      ...none,
      problem: 'the client has no option with one of these names; encode an @ as %40',
    };
  // Without TLS there is no certificate; with it, the client verifies whatever was asked for.
  const hasTls = options.findLast(({ key }) => key === 'tls')?.value !== 'false';
  if (hasTls && options.some(isUnverified))
    return {
      ...none,
      problem:
        'tlsVerifyCert=false has no effect: name the certificate of the authority in tlsCAFile',
    };
  const kept = options.filter((option) => !isUnknown(option) && !isUnverified(option));
  if (kept.length === options.length) return none;
  const query = kept.map((option) => option.text).join('&');
  return { taken: `${before}${hosts}${query && `?${query}`}`, ignored };
}

const warned = new Set<string>();

function warnOnce(source: string, names: readonly string[]): void {
  for (const name of names.filter((each) => !warned.has(each))) {
    warned.add(name);
    process.emitWarning(`${source}: the client has no option ${name}, so it is ignored`);
  }
}
