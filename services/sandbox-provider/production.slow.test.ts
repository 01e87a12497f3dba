import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

it('does not start in production unless SANDBOX is 1 (R20.6)', async () => {
  const env = {
    NODE_ENV: 'production',
    SANDBOX_API_KEY: 'sandbox-test-key-0001',
    SANDBOX_CALLBACK_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
    SANDBOX_CALLBACK_URL: 'http://127.0.0.1:9/callbacks/sandbox',
    // A folder that can't be created: this error shows that the check has passed.
    DATA_DIR: '/dev/null/nowhere',
  };
  expect(await stderrOf(env)).toMatch(/SANDBOX: must be 1/);
  expect(await stderrOf({ ...env, SANDBOX: '1' })).toMatch(/ENOTDIR/);
});

function stderrOf(env: Record<string, string>): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [main], { env });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('close', () => resolve(stderr));
  });
}
