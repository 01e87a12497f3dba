// Runs in a child process, which the demonstrated error ends: `node late-answer.ts <URL>`.
// Prints one JSON line: the results of the two appends, and the uncaught error.
import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { startTcpProxy } from '#infra/verify/harness/stores/tcp-proxy.ts';

const url = process.argv[2] ?? '';
const proxies = [await startTcpProxy(url), await startTcpProxy(url)] as const;
const clients = proxies.map((proxy) => EventStoreDBClient.connectionString(proxy.url));
const append = (client: EventStoreDBClient) =>
  client.appendToStream(`late-${randomUUID()}`, jsonEvent({ type: 'tested', data: {} }));

await Promise.all(clients.map(append));
const thrown = new Promise<string>((resolve) => {
  process.once('uncaughtException', (error) => resolve(error.name));
});
for (const proxy of proxies) proxy.holdAnswers();
const outcomes = Promise.allSettled(clients.map(append));
await new Promise((resolve) => setTimeout(resolve, 300));
// The second client's connection is intact, but its append is rejected with the first one's.
proxies[0].cut();
const settled = (await outcomes).map(({ status }) => status);
proxies[1].releaseAnswers();
const late = await Promise.race([
  thrown,
  new Promise<string>((resolve) => setTimeout(() => resolve('nothing'), 3000)),
]);
process.stdout.write(`${JSON.stringify({ settled, thrown: late })}\n`);
process.exit(0);
