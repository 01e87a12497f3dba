import { credentials, type Client, type StatusObject } from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';
import { storeUrl } from './store.ts';

/** How a call ended. */
export type CallEnd = { code: number; details: string; trailers: Record<string, string> };

/** `host:port` of a connection string (the first host; raw calls are made without TLS). */
export const parseTarget = (url: string): string => {
  const host = /^esdb(?:\+discover)?:\/\/(?:[^@/]*@)?([^,/?]+)/.exec(url)?.[1];
  if (!host) throw new Error(`no host in ${url}`);
  return host;
};

/** A generated client on the store under test, closed when the test ends. */
export const rawClient = <C extends Client>(
  Stub: new (target: string, channel: ReturnType<typeof credentials.createInsecure>) => C,
  url = storeUrl(),
): C => {
  const client = new Stub(parseTarget(url), credentials.createInsecure());
  onTestFinished(() => client.close());
  return client;
};

/** The parts of a gRPC status (or error) that a client can see. */
export const toCallEnd = (
  status: Pick<StatusObject, 'code' | 'details' | 'metadata'>,
): CallEnd => ({
  code: status.code,
  details: status.details,
  trailers: Object.fromEntries(
    Object.entries(status.metadata.getMap()).map(([key, value]) => [key, value.toString()]),
  ),
});
