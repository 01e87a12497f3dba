import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Requests that may wait on one connection before reading from it pauses. */
const maxWaiting = 16;

type QueuedRequest = { incoming: IncomingMessage; outgoing: ServerResponse };

/**
 * Handles the requests of a connection one at a time. HTTP/1.1 answers them in order anyway, so
 * that a client gains nothing from concurrency, while a packet of a thousand small requests would
 * occupy the process. A connection with 16 waiting requests is paused, so that at most those of one
 * packet wait beyond that.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  const queues = new WeakMap<Duplex, QueuedRequest[]>();
  const run = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { socket } = incoming;
    outgoing.once('close', () => {
      const queue = queues.get(socket);
      // After `Connection: close` the waiting requests can't be answered.
      const next = socket.writable ? queue?.shift() : undefined;
      if (next === undefined) return void queues.delete(socket);
      if (queue?.length === maxWaiting - 1) socket.resume();
      // Other connections have their turn first.
      setImmediate(() => {
        if (socket.writable) run(next.incoming, next.outgoing);
        else queues.delete(socket);
      });
    });
    listener(incoming, outgoing);
  };
  return (incoming, outgoing) => {
    const { socket } = incoming;
    const queue = queues.get(socket);
    if (queue === undefined) {
      queues.set(socket, []);
      run(incoming, outgoing);
      return;
    }
    queue.push({ incoming, outgoing });
    if (queue.length === maxWaiting) pauseWhile(socket, () => queue.length >= maxWaiting);
  };
}

/** Keeps a connection paused: Node resumes it by itself after each request of a packet. */
function pauseWhile(socket: Duplex, tooMany: () => boolean): void {
  const pause = (): void => {
    if (tooMany()) socket.pause();
    else socket.off('resume', pause);
  };
  socket.on('resume', pause);
  queueMicrotask(pause);
}
