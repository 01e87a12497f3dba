import { readFileSync } from 'node:fs';
import { createRouter, type Shard } from './router.ts';

/**
 * `npx node examples/shards/main.ts <shards.json> [port]`: an array of shards, each with `name`, `api`,
 * `pay` and `callbacks`.
 */
const [file = '', port = '8080'] = process.argv.slice(2);
const shards = JSON.parse(readFileSync(file, 'utf8')) as Shard[];
createRouter(shards).listen(Number(port), () =>
  process.stdout.write(`${shards.length} shards behind port ${port}\n`),
);
