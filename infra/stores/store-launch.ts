import { connect } from 'node:net';
import type { Launch } from '../process/start-process.ts';

/** How to start an embedded store. */
export type StoreLaunch = {
  readonly launch: Launch;
  readonly url: string;
  /** Whether it accepts connections. @throws why it never will */
  readonly isReady: () => Promise<boolean>;
};

/** Whether a server accepts a connection to a port of this machine, and sends the greeting. */
export function accepts(port: number, greeting = ''): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1000 });
    const end = (answer: boolean) => {
      socket.destroy();
      done(answer);
    };
    if (greeting === '') socket.once('connect', () => end(true));
    else socket.once('data', (chunk) => end(chunk.toString('latin1').startsWith(greeting)));
    for (const event of ['error', 'timeout', 'close']) socket.once(event, () => end(false));
  });
}
