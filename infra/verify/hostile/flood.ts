import { connect } from 'node:net';

const requestLines = (target: string) => `${target} HTTP/1.1\r\nHost: localhost\r\n`;

/** A body in chunks of one byte, which costs its reader a pass for each. */
export const inTinyChunks = (target: string, headers: Readonly<Record<string, string>>): string =>
  [
    requestLines(target),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`),
    'Transfer-Encoding: chunked\r\n\r\n',
    '1\r\n \r\n'.repeat(40_000),
    '0\r\n\r\n',
  ].join('');

export const pipelined = (target: string, count: number): string =>
  `${requestLines(target)}\r\n`.repeat(count);

/** What a connection got until the server closed it; a server that leaves it open is waited for. */
export function floodUntilClosed(port: number, text: string): Promise<number[]> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.setEncoding('latin1');
    socket.on('data', (part: string) => (received += part));
    // A server may close while the client still writes.
    socket.on('error', () => undefined);
    socket.on('close', () =>
      resolve([...received.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status))),
    );
    socket.write(text);
  });
}
