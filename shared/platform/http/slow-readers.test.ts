import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import type { Connection } from './connections.ts';
import { cutSlowReaders } from './slow-readers.ts';

afterEach(() => {
  vi.useRealTimers();
});

const timeoutMs = 1_000;

/** A connection with bytes that wait; `take` is the client's, `write` more of ours. */
function waitingConnection() {
  vi.useFakeTimers();
  const server = new EventEmitter();
  const destroy = vi.fn<() => void>();
  const socket = Object.assign(new EventEmitter(), {
    writableLength: 1_000,
    bytesWritten: 1_000,
    destroy,
  });
  const connection: Connection = { outgoing: undefined };
  cutSlowReaders(
    server as unknown as Server,
    new Map([[socket as unknown as Duplex, connection]]),
    timeoutMs,
  );
  const write = (bytes: number) => {
    socket.writableLength += bytes;
    socket.bytesWritten += bytes;
  };
  const take = (bytes: number) => {
    socket.writableLength -= bytes;
  };
  return { server, destroy, write, take };
}

it('a piece that is not taken in time ends the connection, however slowly it trickles', () => {
  const { server, destroy, take } = waitingConnection();
  for (let trickled = 0; trickled < 12; trickled += 1) {
    vi.advanceTimersByTime(timeoutMs / 10);
    take(1);
  }
  expect(destroy).toHaveBeenCalled();
  server.emit('close');
});

it('more requests on the connection, whose answers wait behind it, give it no more time', () => {
  const { server, destroy, write } = waitingConnection();
  for (let request = 0; request < 12; request += 1) {
    vi.advanceTimersByTime(timeoutMs / 10);
    write(1_000);
  }
  expect(destroy).toHaveBeenCalled();
  server.emit('close');
});

it('answers of many pieces go on as long as each is taken in time', () => {
  const { server, destroy, write, take } = waitingConnection();
  for (let piece = 0; piece < 20; piece += 1) {
    vi.advanceTimersByTime(timeoutMs * 0.8);
    // Of the next one some waits already: it never is empty when one looks.
    write(1_000);
    take(1_000);
  }
  expect(destroy).not.toHaveBeenCalled();
  server.emit('close');
});
