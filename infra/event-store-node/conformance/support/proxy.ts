import { startTcpProxy, type TcpProxy } from '#infra/verify/harness/tcp-proxy.ts';

/** A proxy before an event store, with its connection string. */
type Proxy = TcpProxy & { readonly url: string };

/** Listens on a free loopback port and passes everything on to `target` (host:port). */
export const startProxy = async (target: string): Promise<Proxy> => {
  const [host = '', port = ''] = target.split(':');
  const proxy = await startTcpProxy({ host, port: Number(port) });
  return { ...proxy, url: `esdb://127.0.0.1:${proxy.port}?tls=false` };
};
