import { commonName, createLogKey, type LogKey } from './signature.ts';

/** `service=key`, the key 32 bytes in base64, with either alphabet. */
const pair = /^([a-z][a-z-]*)=([\w+/-]{43}=?)$/;

/**
 * Reads LOG_SIGNING_KEYS: pairs `service=key`, separated by commas. Of several keys of a service
 * the first one signs.
 * @throws an Error with a one-line message, without the text, when it has another form
 */
export function parseLogKeys(text: string): LogKey[] {
  const pairs = text.split(',').filter((each) => each !== '');
  const keys = pairs.map((each) => {
    const [, service = '', key = ''] = pair.exec(each) ?? [];
    if (Buffer.from(key, 'base64').length !== 32)
      throw new Error(
        'must be service=key pairs, separated by commas, each key as "openssl rand -base64 32" prints one',
      );
    return createLogKey(service, key);
  });
  if (keys.length === 0) throw new Error('must have a key');
  return keys;
}

/** The pairs of these services, and those that all services share. */
export const pairsFor = (services: readonly string[], text: string): string =>
  text
    .split(',')
    .filter((each) => [...services, commonName].includes(each.split('=', 1)[0] ?? ''))
    .join(',');
