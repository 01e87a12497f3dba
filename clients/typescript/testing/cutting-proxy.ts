import { connect, createServer, type Socket } from 'node:net';
import { listenOnLoopback } from '#infra/verify/harness/loopback.ts';

export type CuttingProxy = {
  readonly url: string;
  /**
   * Breaks the next connections, each after this many bytes of its answer; negative: that many
   * bytes before its end.
   */
  readonly cutNext: (connections: number, afterBytes: number) => void;
  readonly close: () => Promise<void>;
};

/** A proxy on loopback that forwards every request, but only the beginning of some answers. */
export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let left = 0;
  let limit = 0;
  const server = createServer((inbound) => {
    const outbound = connect({ host: hostname, port: Number(port) });
    for (const [socket, other] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    inbound.pipe(outbound);
    outbound.on('data', (chunk: Buffer) => {
      if (left === 0) return void inbound.write(chunk);
      left -= 1;
      // The gateway has answered, and all but the beginning is lost.
      inbound.write(chunk.subarray(0, limit), () => inbound.destroy());
    });
  });
  return {
    url: `http://127.0.0.1:${await listenOnLoopback(server)}`,
    cutNext: (connections, afterBytes) => {
      left = connections;
      limit = afterBytes;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
