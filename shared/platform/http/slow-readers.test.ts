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

/** A connection with unsent bytes. `take`: the client reads; `write`: the server queues more. */
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

it('ends the connection if a piece is not read in time, even if it trickles', () => {
  const { server, destroy, take } = waitingConnection();
  for (let trickled = 0; trickled < 12; trickled += 1) {
    vi.advanceTimersByTime(timeoutMs / 10);
    take(1);
  }
  expect(destroy).toHaveBeenCalled();
  server.emit('close');
});

it('grants no more time for further responses that are queued', () => {
  const { server, destroy, write } = waitingConnection();
  for (let request = 0; request < 12; request += 1) {
    vi.advanceTimersByTime(timeoutMs / 10);
    write(1_000);
  }
  expect(destroy).toHaveBeenCalled();
  server.emit('close');
});

it('keeps the connection as long as each piece is read in time', () => {
  const { server, destroy, write, take } = waitingConnection();
  for (let piece = 0; piece < 20; piece += 1) {
    vi.advanceTimersByTime(timeoutMs * 0.8);
    // The next piece is queued before this one is read: the buffer is never empty.
    write(1_000);
    take(1_000);
  }
  expect(destroy).not.toHaveBeenCalled();
  server.emit('close');
});
