import { startSink } from '#clients/webhook-sink/sink.ts';
import { readDemo } from './demo-file.ts';

/** The demo shop's endpoint, which prints each webhook to the console of `npm start`. */
async function receive(dataDir: string): Promise<void> {
  const sink = await startSink({
    host: '127.0.0.1',
    port: Number(process.env['DEMO_WEBHOOK_PORT']),
    secret: () => readDemo(dataDir).webhook_secret,
    print: (line) => process.stdout.write(`${line}\n`),
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => sink.close());
}
if (import.meta.main) await receive(process.env['DATA_DIR'] ?? '.data');
