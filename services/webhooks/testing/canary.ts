import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';

type Canary = {
  port: number;
  /** Connections to it, on IPv4 and IPv6 loopback. */
  connections(): number;
  close(): Promise<void>;
};

/** A listener on loopback that must not be reached. It only counts connections. */
export async function startCanary(): Promise<Canary> {
  let connections = 0;
  const listen = (host: string, port: number) => {
    const server = createServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined);
      socket.destroy();
    });
    return new Promise<Server | undefined>((resolve) => {
      // A machine without IPv6 has no IPv6 loopback.
      server.once('error', () => resolve(undefined));
      server.listen(port, host, () => resolve(server));
    });
  };
  const first = await listen('127.0.0.1', 0);
  if (!first) throw new Error('no port on loopback');
  const { port } = first.address() as AddressInfo;
  const second = await listen('::1', port);
  const close = (server: Server | undefined) =>
    new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  return {
    port,
    connections: () => connections,
    close: async () => {
      await Promise.all([close(first), close(second)]);
    },
  };
}
