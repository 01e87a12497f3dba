import { EventStoreDBClient } from '@eventstore/db-client';
import type { CallOptions, Metadata } from '@grpc/grpc-js';

/** The client's private member that makes what each of its calls is sent with. */
type ClientParts = {
  callArguments(options: object, callOptions?: CallOptions): [Metadata, CallOptions];
};

const withUser = /^esdb(?:\+discover)?:\/\/(?<name>[^:@/?]+):(?<password>[^@/?]*)@(?<hosts>[^/?]+)/;
const thisMachine = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/;

/** The official client of a connection string. */
export function connectClient(connectionString: string): EventStoreDBClient {
  const client = EventStoreDBClient.connectionString(connectionString);
  const authorization = plainTextUser(connectionString);
  if (authorization === undefined) return client;
  const parts = client as unknown as ClientParts;
  const callArguments = parts.callArguments.bind(client);
  parts.callArguments = (options, callOptions) => {
    const [metadata, sentWith] = callArguments(options, callOptions);
    metadata.set('authorization', authorization);
    return [metadata, sentWith];
  };
  return client;
}

/**
 * Over plain text the client leaves the user out, which the embedded event store requires. On this
 * machine nobody else reads it.
 */
function plainTextUser(connectionString: string): string | undefined {
  const { name, password, hosts } = withUser.exec(connectionString)?.groups ?? {};
  if (name === undefined || password === undefined || hosts === undefined) return undefined;
  if (!/[?&]tls=false(?:&|$)/i.test(connectionString)) return undefined;
  if (!hosts.split(',').every((host) => thisMachine.test(host))) return undefined;
  const user = `${decodeURIComponent(name)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(user).toString('base64')}`;
}
