import { createServer, type RequestListener } from 'node:http';
import { variable } from '#infra/lab/targets/serve.ts';

/**
 * Merchants' endpoints, each with an address of its own in 127.0.0.0/8, that remember when each
 * message came. `POST /<ms>` answers 204 after so many milliseconds, `POST /hang` never.
 */
let arrivals: [messageId: string, epochMs: number][] = [];
const endpoints = 101;

const listener: RequestListener = (request, response) => {
  const at = performance.timeOrigin + performance.now();
  if (request.method === 'POST') {
    request.resume().once('end', () => {
      arrivals.push([String(request.headers['webhook-id']), at]);
      const delayMs = Number(request.url?.slice(1));
      if (delayMs > 0) setTimeout(() => response.writeHead(204).end(), delayMs);
      else if (request.url !== '/hang') response.writeHead(204).end();
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
