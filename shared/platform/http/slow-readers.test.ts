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

/** A connection whose client has always more to take, whenever one looks. */
function busyConnection() {
  vi.useFakeTimers();
  const server = new EventEmitter();
  const destroy = vi.fn<() => void>();
  const socket = Object.assign(new EventEmitter(), { writableLength: 1, destroy });
  const connection: Connection = { requests: 1, outgoing: undefined };
  cutSlowReaders(
    server as unknown as Server,
    new Map([[socket as unknown as Duplex, connection]]),
    timeoutMs,
  );
  server.emit('connection', socket);
  return { server, socket, destroy };
}

it('a piece that is not taken in time ends the connection, however slowly it trickles', () => {
  const { server, destroy } = busyConnection();
  vi.advanceTimersByTime(timeoutMs + 200);
  expect(destroy).toHaveBeenCalled();
  server.emit('close');
});

it('an answer of many pieces goes on as long as each is taken in time', () => {
  const { server, socket, destroy } = busyConnection();
  for (let piece = 0; piece < 20; piece += 1) {
    vi.advanceTimersByTime(timeoutMs * 0.8);
    socket.emit('drain');
  }
  expect(destroy).not.toHaveBeenCalled();
  server.emit('close');
});
