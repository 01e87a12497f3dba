import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { computePercentiles } from '#infra/verify/harness/figures/statistics.ts';
import type { AttackedStack } from './attacked-stack.ts';

const atOnce = 200;
const probe = Buffer.from('GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n');

/** Opens idle connections that have made one request each, and measures concurrent requests. */
export async function crowd(
  attacked: AttackedStack,
  {
    connections,
    requests,
    whileOpen,
  }: { connections: number; requests: number; whileOpen?: () => Promise<void> },
) {
  const port = Number(attacked.stack.env['GATEWAY_PORT']);
  const sockets: Socket[] = [];
  const startedAt = performance.now();
  try {
    while (sockets.length < connections) {
      const batch = Math.min(atOnce, connections - sockets.length);
      sockets.push(...(await Promise.all(Array.from({ length: batch }, () => idle(port)))));
    }
    const openedInMs = performance.now() - startedAt;
    const opened = sockets.filter(isOpen).length;
    await whileOpen?.();
    const times = await measureRequests(attacked, requests);
    const held = sockets.filter(isOpen).length;
    const answered = times.filter((ms) => Number.isFinite(ms));
    return {
      /** After the last was made, and at the end of the requests. */
      opened,
      held,
      openedInMs,
      failed: requests - answered.length,
      /** Creates and reads alongside the idle connections, each on its own connection. */
      ...computePercentiles(answered),
    };
  } finally {
    for (const socket of sockets) socket.destroy();
    await delay(100);
  }
}

const isOpen = (socket: Socket): boolean => !socket.destroyed && socket.readyState === 'open';

/** A connection after its first answer; kept whether or not the server closes it. */
function idle(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const settle = () => resolve(socket);
    socket.once('connect', () => socket.write(probe));
    socket.once('data', settle);
    socket.once('close', settle);
    socket.on('error', () => undefined);
  });
}

/** Milliseconds of each request; infinite where it failed. */
async function measureRequests({ shop }: AttackedStack, requests: number): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < requests; count += 1) {
    const startedAt = performance.now();
    const answer = await (
      count % 2 === 0
        ? shop.pay(`crowd-${performance.timeOrigin}-${performance.now()}`)
        : shop.state({ merchant_operation_id: 'pending' })
    ).catch(() => undefined);
    times.push(answer?.status === 200 ? performance.now() - startedAt : Number.POSITIVE_INFINITY);
  }
  return times;
}
