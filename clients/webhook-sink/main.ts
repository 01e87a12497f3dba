import { parseArgs } from 'node:util';
import { secretKey } from '../webhook-verifier/verify.ts';
import { startSink } from './sink.ts';

const usage = `usage: npm run webhook-sink -- --secret whsec_… [--port 4000] [--status 204] [--delay-ms 0]

Receives webhooks on this machine, verifies them and prints a line for each.

  --secret    the secret from PUT /admin/v1/shops/{shop_id}/webhook; by default WEBHOOK_SECRET
  --port      where to listen, on loopback; 0 for a free port
  --status    the response to valid webhooks: 500 shows retries, 410 disables the endpoint
  --delay-ms  how long each answer takes
`;

function fail(reason: string): never {
  process.stderr.write(`${reason}\n\n${usage}`);
  process.exit(2);
}

function wholeNumber(name: string, text: string, [from, to]: [from: number, to: number]): number {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= from && value <= to))
    fail(`--${name} must be a whole number from ${from} to ${to}`);
  return value;
}

function options() {
  try {
    return parseArgs({
      options: {
        secret: { type: 'string', default: process.env['WEBHOOK_SECRET'] ?? '' },
        port: { type: 'string', default: '4000' },
        status: { type: 'string', default: '204' },
        'delay-ms': { type: 'string', default: '0' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return fail((error as Error).message);
  }
}

const { secret, help, ...numbers } = options();
if (help) {
  process.stdout.write(usage);
  process.exit(0);
}
try {
  secretKey(secret);
} catch (error) {
  fail(`--secret: ${(error as Error).message}`);
}

const sink = await startSink({
  host: '127.0.0.1',
  port: wholeNumber('port', numbers.port, [0, 65_535]),
  status: wholeNumber('status', numbers.status, [200, 599]),
  delayMs: wholeNumber('delay-ms', numbers['delay-ms'], [0, 600_000]),
  secret: () => secret,
  print: (line) => process.stdout.write(`${new Date().toISOString()} ${line}\n`),
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => sink.close());
process.stdout.write(`Waiting for webhooks at http://127.0.0.1:${sink.port}/ (Ctrl-C stops)\n`);
