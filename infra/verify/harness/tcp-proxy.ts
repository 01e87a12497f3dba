import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type TcpProxy = {
  readonly port: number;
  /** Breaks every connection that is open now, in both directions. */
  readonly cut: () => void;
  /** Takes connections but passes nothing on, either way, until `resume`: a store that hangs. */
  readonly stall: () => void;
  readonly resume: () => void;
  /** From now on each piece of up to 64 KiB is held for so many milliseconds, and what follows it waits; 0 ends it. */
  readonly slow: (delayMs: number) => void;
  readonly close: () => Promise<void>;
};

/**
 * What becomes of bytes from a client: `hold` loses them and stalls, `pass_and_hold` gives them to the server and
 * stalls before its answer.
 */
export type Verdict = 'pass' | 'hold' | 'pass_and_hold';

/** A proxy on loopback before a server, for tests of what happens when the connection to it fails. */
export async function startTcpProxy(
  target: { host: string; port: number },
  watch: (chunk: Buffer) => Verdict = () => 'pass',
): Promise<TcpProxy> {
  const pairs = new Set<[Socket, Socket]>();
  let stalled = false;
  let delayMs = 0;
  const server = createServer((inbound) => {
    const outbound = connect(target);
    const pair: [Socket, Socket] = [inbound, outbound];
    pairs.add(pair);
    for (const [from, to] of [pair, pair.toReversed() as [Socket, Socket]]) {
      from.on('data', (chunk: Buffer) => {
        const verdict = from === inbound ? watch(chunk) : 'pass';
        if (verdict !== 'hold') {
          if (delayMs > 0) passLater(chunk, from, to);
          else if (!to.write(chunk)) from.pause();
        }
        if (verdict !== 'pass') stall();
      });
      to.on('drain', () => {
        if (!stalled) from.resume();
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
    }
    if (stalled) for (const socket of pair) socket.pause();
  });
  const passLater = (chunk: Buffer, from: Socket, to: Socket) => {
    from.pause();
    setTimeout(() => {
      if (to.destroyed) return;
      if (to.write(chunk) && !stalled) from.resume();
    }, delayMs);
  };
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const each = (act: (socket: Socket) => void) => {
    for (const socket of [...pairs].flat()) act(socket);
  };
  const stall = () => {
    stalled = true;
    each((socket) => socket.pause());
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => each((socket) => socket.destroy()),
    stall,
    resume: () => {
      stalled = false;
      each((socket) => socket.resume());
    },
    slow: (ms) => {
      delayMs = ms;
    },
    close: async () => {
      each((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
