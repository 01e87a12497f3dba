import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** One connection of a server. */
export type Connection = {
  /** The last answer, until it is sent and its request is received. */
  outgoing: ServerResponse | undefined;
  /** The response before it, if that is not sent yet. */
  before?: ServerResponse | undefined;
};

export type Connections = ReadonlyMap<Duplex, Connection>;

/**
 * The connections of a server. An idle one references neither its last request nor the answer:
 * after a burst, those of all connections would grow old and burden the garbage collector.
 */
export function trackConnections(server: Server): Connections {
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
