import type { ConnectionOptions } from 'nats';

/**
 * The options of the NATS client's `connect()` for a `NATS_URL`: one server or several, separated
 * by commas, each with or without `nats://`. The client does not parse `user:password@` or
 * `token@`: they are taken from the first server that has them. `tls://` requires TLS.
 * @throws for an invalid list of servers; the text of the error holds no credentials
 */
export function natsConnectionOptions(
  natsUrl: string,
): Pick<ConnectionOptions, 'servers' | 'user' | 'pass' | 'token' | 'tls'> {
  const urls = natsUrl.split(',').map((server) => parseServer(server.trim()));
  const withCredentials = urls.find(({ username }) => username !== '');
  const credentials =
    withCredentials === undefined
      ? {}
      : withCredentials.password === ''
        ? { token: decodeURIComponent(withCredentials.username) }
        : {
            user: decodeURIComponent(withCredentials.username),
            pass: decodeURIComponent(withCredentials.password),
          };
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port === '' ? '4222' : port}`),
    ...credentials,
    ...(urls.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}),
  };
}

function parseServer(server: string): URL {
  const text = /^[a-z]+:\/\//.test(server) ? server : `nats://${server}`;
  if (/^(nats|tls):\/\//.test(text) && URL.canParse(text)) {
    const url = new URL(text);
    if (url.hostname !== '') return url;
  }
  throw new Error(
    'NATS_URL must be nats://[user:password@]host[:port], or several separated by commas',
  );
}
