// Run as a process of its own, because what it shows ends a process: `node late-answer.ts
// host:port`. Prints one JSON line: what came of the two appends, and what was thrown out of band.
import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { startProxy } from './proxy.ts';

const target = process.argv[2] ?? '';
const proxies = [await startProxy(target), await startProxy(target)] as const;
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
// The second client's connection is whole, and its append is rejected with the first one's.
proxies[0].cut();
const settled = (await outcomes).map(({ status }) => status);
proxies[1].releaseAnswers();
const late = await Promise.race([
  thrown,
  new Promise<string>((resolve) => setTimeout(() => resolve('nothing'), 3000)),
]);
process.stdout.write(`${JSON.stringify({ settled, thrown: late })}\n`);
process.exit(0);
