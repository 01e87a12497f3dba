import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

it('does not start in production unless it is configured to (R20.6)', async () => {
  const env = {
    NODE_ENV: 'production',
    SANDBOX_API_KEY: 'sandbox-test-key-0001',
    SANDBOX_CALLBACK_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
    SANDBOX_CALLBACK_URL: 'http://127.0.0.1:9/callbacks/sandbox',
    // A folder that can't be made: whoever gets so far has started.
    DATA_DIR: '/dev/null/nowhere',
  };
  expect(await wordsOf(env)).toMatch(/SANDBOX: must be 1/);
  expect(await wordsOf({ ...env, SANDBOX: '1' })).toMatch(/ENOTDIR/);
});

function wordsOf(env: Record<string, string>): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [main], { env });
    let output = '';
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('close', () => resolve(output));
  });
}
