import { createServer, type RequestListener } from 'node:http';
import { variable } from '#infra/lab/targets/serve.ts';

/**
 * Merchants' endpoints, each with its own address in 127.0.0.0/8, that record times of arrival.
 * `POST /<ms>` answers 204 after that many milliseconds.
 */
let arrivals: number[] = [];
const endpoints = 101;

const listener: RequestListener = (request, response) => {
  const atMs = performance.now();
  if (request.method === 'POST') {
    request.resume().once('end', () => {
      arrivals.push(atMs);
      setTimeout(() => response.writeHead(204).end(), Number(request.url?.slice(1)));
    });
    return;
  }
  if (request.url === '/count') return void response.end(String(arrivals.length));
  if (request.url !== '/take') return void response.writeHead(204).end();
  const taken = arrivals;
  arrivals = [];
  response.end(JSON.stringify(taken));
};

for (let index = 0; index < endpoints; index += 1) {
  const server = createServer(listener);
  server.keepAliveTimeout = 60_000;
  server.listen(Number(variable('PORT')), index === 0 ? '127.0.0.1' : `127.0.1.${index}`);
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0));
