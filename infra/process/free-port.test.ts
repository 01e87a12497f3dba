import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findFreePort, isPortFree } from './free-port.ts';

const other = fileURLToPath(new URL('testing/claim-ports.ts', import.meta.url));

describe('a free port', () => {
  it('is free until a server listens on it', async () => {
    const port = await findFreePort();
    expect(await isPortFree(port)).toBe(true);
    const server = createServer().listen(port, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    expect(await isPortFree(port)).toBe(false);
  });

  it.runIf(process.platform === 'linux')(
    'is returned to one caller only, across processes, before it is used',
    async () => {
      // 2 × 400 of 10,000: without claims some 16 would be given twice.
      const process = fork(other, ['400']);
      onTestFinished(() => void process.kill());
      const otherPorts = once(process, 'message').then(([ports]) => ports as number[]);
      const ports: number[] = [];
      for (let index = 0; index < 400; index += 1) ports.push(await findFreePort());
      expect(new Set([...ports, ...(await otherPorts)]).size).toBe(800);
    },
  );
});
