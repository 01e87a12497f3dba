import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Requests that may wait on one connection; no client in use pipelines as deep. */
const maxWaiting = 32;

type Waiting = { incoming: IncomingMessage; outgoing: ServerResponse };

/**
 * Handles the requests of a connection one after the other: the next begins when the response to
 * the one before is out. HTTP/1.1 sends responses in the order of their requests anyway, so that
 * handling them at once gains a client nothing, while a packet of a thousand small requests would
 * occupy the process. A connection with more than 32 requests waiting is closed.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  const queues = new WeakMap<Duplex, Waiting[]>();
  const run = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { socket } = incoming;
    outgoing.once('close', () => {
      const next = queues.get(socket)?.shift();
      if (next === undefined || socket.destroyed) queues.delete(socket);
      else run(next.incoming, next.outgoing);
    });
    listener(incoming, outgoing);
  };
  return (incoming, outgoing) => {
    const { socket } = incoming;
    const queue = queues.get(socket);
    if (queue === undefined) {
      queues.set(socket, []);
      run(incoming, outgoing);
    } else if (queue.length < maxWaiting) queue.push({ incoming, outgoing });
    else socket.destroy();
  };
}
