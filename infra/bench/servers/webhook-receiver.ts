import { createServer } from 'node:http';
import { variable } from './serve.ts';

/** A merchant's endpoint that answers 204 at once and remembers when each operation's message came. */
let arrivals: [operationId: string, epochMs: number][] = [];

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.once('end', () => {
    if (request.method === 'POST') {
      const at = performance.timeOrigin + performance.now();
      const message = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Message;
      arrivals.push([message.data?.operation?.operation_id ?? '', at]);
      return void response.writeHead(204).end();
    }
    if (request.url === '/count') return void response.end(String(arrivals.length));
    if (request.url !== '/take') return void response.writeHead(204).end();
    const taken = arrivals;
    arrivals = [];
    response.end(JSON.stringify(taken));
  });
});
type Message = { data?: { operation?: { operation_id: string } } };

server.keepAliveTimeout = 60_000;
server.listen(Number(variable('PORT')), '127.0.0.1');
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0));
