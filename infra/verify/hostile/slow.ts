import { connect, type Socket } from 'node:net';
import type { AttackedStack } from './attacked-stack.ts';

/** How a client is slow. */
type SlowClient = {
  name: string;
  port: number;
  /** Sent at once. */
  first: Buffer;
  /** Sent one byte at a time, for as long as the server listens. */
  drip?: string;
  /** Takes no byte of the answer. */
  deaf?: boolean;
};

type SlowEnd = { name: string; endedAfterMs: number };

const dripEveryMs = 500;

/**
 * Sends like slow clients.
 * @returns when the server ended each connection; infinite if not within `boundMs`
 */
export async function slowClients(
  clients: readonly SlowClient[],
  boundMs: number,
): Promise<SlowEnd[]> {
  return Promise.all(clients.map((client) => slowClient(client, boundMs)));
}

function slowClient(client: SlowClient, boundMs: number): Promise<SlowEnd> {
  const { name, port, first, drip = '', deaf = false } = client;
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const socket: Socket = connect({ port, host: '127.0.0.1' });
    let at = 0;
    if (deaf) socket.pause();
    else socket.resume();
    socket.write(first);
    const dripping = setInterval(() => {
      // A client that does not read notices the end by writing.
      if (socket.writable && drip !== '') socket.write(drip[at % drip.length] ?? '');
      at += 1;
    }, dripEveryMs);
    const settle = (endedAfterMs: number) => {
      clearInterval(dripping);
      clearTimeout(timer);
      socket.destroy();
      resolve({ name, endedAfterMs });
    };
    const timer = setTimeout(() => settle(Number.POSITIVE_INFINITY), boundMs);
    socket.on('close', () => settle(performance.now() - startedAt));
    socket.on('error', () => undefined);
  });
}

/** The kinds of slow clients, on the public ports. */
export function slowOnes({ stack, shop }: AttackedStack): SlowClient[] {
  const ports = [
    ['merchant API', 'GATEWAY_PORT'],
    ['console', 'ADMIN_PORT'],
    ['payment page', 'PAY_PORT'],
    ['sandbox provider', 'SANDBOX_PORT'],
    ['processor', 'PROCESSOR_PORT'],
  ] as const;
  const key = `x-api-key: ${shop.apiKey}\r\nauthorization: Bearer ${stack.adminToken}\r\n`;
  const post = `POST /v1/payment HTTP/1.1\r\nhost: a\r\n${key}content-type: application/json\r\n`;
  const form = `POST /v1/confirm_payment HTTP/1.1\r\nhost: a\r\n${key}content-type: multipart/form-data; boundary=b\r\n`;
  const each = ports.flatMap(([name, variable]): SlowClient[] => {
    const port = Number(stack.env[variable]);
    return [
      { name: `${name}: sends nothing`, port, first: Buffer.alloc(0) },
      {
        name: `${name}: slow headers`,
        port,
        first: Buffer.from('GET /livez HTTP/1.1\r\nhost: a\r\n'),
        drip: 'x: y\r\n',
      },
    ];
  });
  const port = Number(stack.env['GATEWAY_PORT']);
  const documents = 'GET /openapi.json HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(400);
  return [
    ...each,
    {
      name: 'merchant API: slow body',
      port,
      first: Buffer.from(`${post}content-length: 1000\r\n\r\n`),
      drip: ' ',
    },
    {
      name: 'merchant API: slow chunks',
      port,
      first: Buffer.from(`${post}transfer-encoding: chunked\r\n\r\n`),
      drip: '1\r\n \r\n',
    },
    {
      name: 'merchant API: slow form',
      port,
      first: Buffer.from(
        `${form}content-length: 9000\r\n\r\n--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n`,
      ),
      drip: 'x',
    },
    {
      name: 'merchant API: takes no answer',
      port,
      first: Buffer.from(documents),
      drip: '\r\n',
      deaf: true,
    },
  ];
}
