import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

/** A TCP proxy that can hold back the answers of its server, and cut. */
export type Proxy = {
  url: string;
  /** From now on nothing that the server says gets through. */
  holdAnswers: () => void;
  /** Lets through what was held back. */
  releaseAnswers: () => void;
  /** Resets every connection. */
  cut: () => void;
  close: () => Promise<void>;
};

/** Listens on a free loopback port and passes everything on to `target` (host:port). */
export const startProxy = async (target: string): Promise<Proxy> => {
  const [host = '', port = ''] = target.split(':');
  const pairs = new Map<Socket, Socket>();
  const releases: (() => void)[] = [];
  const server = createServer((inner) => {
    const outer = connect(Number(port), host);
    pairs.set(inner, outer);
    inner.pipe(outer);
    outer.pipe(inner);
    for (const socket of [inner, outer]) {
      // A cut is what this proxy is for.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        pairs.delete(inner);
        inner.destroy();
        outer.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const inner of pairs.keys()) inner.resetAndDestroy();
  };
  return {
    url: `esdb://127.0.0.1:${(server.address() as AddressInfo).port}?tls=false`,
    holdAnswers: () => {
      // Read all the same: that the server hangs up is seen only by who reads.
      for (const [inner, outer] of pairs) {
        const held: Buffer[] = [];
        const hold = (chunk: Buffer): void => void held.push(chunk);
        outer.unpipe(inner);
        outer.on('data', hold).resume();
        releases.push(() => {
          outer.off('data', hold);
          for (const chunk of held) inner.write(chunk);
          outer.pipe(inner);
        });
      }
    },
    releaseAnswers: () => {
      for (const release of releases.splice(0)) release();
    },
    cut,
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
};
