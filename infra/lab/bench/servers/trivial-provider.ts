import { createServer } from 'node:http';
import { variable } from '#infra/lab/targets/serve.ts';

/** The cheapest provider: it accepts every attempt at once, and remembers none. */
const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => {
    if (request.url === '/readyz') return void response.writeHead(204).end();
    const key = decodeURIComponent(request.url?.split('/')[3] ?? '');
    const [operationId, attempt] = key.split('.');
    const snapshot = {
      key,
      operation_id: operationId,
      attempt: Number(attempt),
      version: 1,
      acceptance: 'accepted',
      reference: `trivial_${key}`,
      requisites: { number: '2200000012345674', name: 'ИВАН ПЕТРОВ' },
      status: 'open',
      legs: [],
    };
    const body = JSON.stringify(snapshot);
    response
      .writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      })
      .end(body);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(variable('PORT')), '127.0.0.1');
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0));
