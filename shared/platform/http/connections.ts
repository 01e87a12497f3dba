import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** One connection of a server. */
export type Connection = {
  /** The last answer, until all of it is out and all of its request has come. */
  outgoing: ServerResponse | undefined;
  /** The response before it, where that is not out yet. */
  before?: ServerResponse | undefined;
};

export type Connections = ReadonlyMap<Duplex, Connection>;

/**
 * The connections of a server. One that rests holds neither its last request nor the answer: what a
 * burst leaves on all of them would be old by the time that each is used again, and old garbage is
 * what the collector has most to do with.
 */
export function connectionsOf(server: Server): Connections {
  const connections = new Map<Duplex, Connection>();
  server.on('connection', (socket: Duplex) => {
    connections.set(socket, { outgoing: undefined });
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const connection = connections.get(incoming.socket);
    if (!connection) return;
    const { outgoing: before } = connection;
    connection.before = before?.writableFinished === false ? before : undefined;
    connection.outgoing = outgoing;
    outgoing.once('finish', () => {
      if (connection.outgoing !== outgoing || !incoming.complete) return;
      connection.outgoing = undefined;
      connection.before = undefined;
    });
  });
  return connections;
}
