import { connect, createServer, type Socket } from 'node:net';
import { listenOnLoopback } from '../processes/loopback.ts';

export type TcpProxy = {
  readonly port: number;
  /** The server's URL, through the proxy. */
  readonly url: string;
  /** Breaks every connection that is open now, in both directions. */
  readonly cut: () => void;
  /** Accepts connections but forwards nothing until `resume`, like a store that hangs. */
  readonly stall: () => void;
  readonly resume: () => void;
  /**
   * From now on drops everything from the server on the open connections. It is still read, so that
   * the server's close is seen.
   */
  readonly holdAnswers: () => void;
  /** Lets through what `holdAnswers` has held. */
  readonly releaseAnswers: () => void;
  /**
   * From now on delays each piece of up to 64 KiB by this many milliseconds, and those behind it; 0
   * ends it.
   */
  readonly slow: (delayMs: number) => void;
  /** Connects from now on to the server of another URL; open connections stay where they are. */
  readonly lead: (url: string) => void;
  readonly close: () => Promise<void>;
};

/**
 * The fate of bytes from a client: `hold` drops them and stalls, `pass_and_hold` forwards them and
 * stalls before the answer.
 */
export type ProxyVerdict = 'pass' | 'hold' | 'pass_and_hold';

/**
 * A proxy on loopback before the server of a URL, for tests of what happens when the connection to
 * it fails.
 */
export async function startTcpProxy(
  url: string,
  watch: (chunk: Buffer) => ProxyVerdict = () => 'pass',
): Promise<TcpProxy> {
  let target = new URL(url);
  const pairs = new Set<[Socket, Socket]>();
  /** By the socket to the server. */
  const held = new Map<Socket, Buffer[]>();
  let stalled = false;
  let delayMs = 0;
  const server = createServer((inbound) => {
    const outbound = connect(Number(target.port), target.hostname);
    const pair: [Socket, Socket] = [inbound, outbound];
    pairs.add(pair);
    for (const [from, to] of [pair, pair.toReversed() as [Socket, Socket]]) {
      from.on('data', (chunk: Buffer) => {
        const verdict = from === inbound ? watch(chunk) : 'pass';
        if (verdict !== 'hold') {
          if (held.has(from)) held.get(from)?.push(chunk);
          else if (delayMs > 0) passLater(chunk, [from, to], { delayMs, isStalled: () => stalled });
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
        held.delete(from);
      });
    }
    if (stalled) for (const socket of pair) socket.pause();
  });
  const { host } = target;
  const port = await listenOnLoopback(server);
  const each = (act: (socket: Socket) => void) => [...pairs].flat().forEach(act);
  const stall = () => {
    stalled = true;
    each((socket) => socket.pause());
  };
  return {
    port,
    url: url.replace(host, `127.0.0.1:${port}`),
    cut: () => each((socket) => socket.destroy()),
    stall,
    resume: () => {
      stalled = false;
      each((socket) => socket.resume());
    },
    holdAnswers: () => {
      for (const [, outbound] of pairs) held.set(outbound, []);
    },
    releaseAnswers: () => {
      for (const [inbound, outbound] of pairs)
        for (const chunk of held.get(outbound) ?? []) inbound.write(chunk);
      held.clear();
    },
    slow: (ms) => {
      delayMs = ms;
    },
    lead: (to) => void (target = new URL(to)),
    close: async () => {
      each((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Later bytes wait, because nothing is read meanwhile. */
function passLater(
  chunk: Buffer,
  [from, to]: readonly [Socket, Socket],
  { delayMs, isStalled }: { delayMs: number; isStalled: () => boolean },
): void {
  from.pause();
  setTimeout(() => {
    if (to.destroyed) return;
    if (to.write(chunk) && !isStalled()) from.resume();
  }, delayMs);
}
