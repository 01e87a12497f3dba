import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const requestLines = (target: string) => `${target} HTTP/1.1\r\nHost: localhost\r\n`;

/** A body in chunks of one byte, each of which costs its reader a pass. */
export const inTinyChunks = (target: string, headers: Readonly<Record<string, string>>): string =>
  [
    requestLines(target),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`),
    'Transfer-Encoding: chunked\r\n\r\n',
    '1\r\n \r\n'.repeat(40_000),
    '0\r\n\r\n',
  ].join('');

/** Pipelined requests, of which the last one closes the connection. */
export const pipelined = (target: string, count: number): string =>
  `${`${requestLines(target)}\r\n`.repeat(count - 1)}${requestLines(target)}Connection: close\r\n\r\n`;

/** Sends the text; resolves with the statuses of the responses once the server has closed. */
export function floodUntilClosed(
  port: number,
  text: string,
  onSent?: () => void,
): Promise<number[]> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const statuses: number[] = [];
    const lines = createInterface({ input: socket });
    lines.on('line', (line) => {
      const status = /^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1];
      if (status !== undefined) statuses.push(Number(status));
    });
    // A server may close while the client still writes.
    socket.on('error', () => undefined);
    lines.on('error', () => undefined);
    socket.on('close', () => resolve(statuses));
    socket.on('connect', () => {
      socket.write(text);
      onSent?.();
    });
  });
}
