import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findFreePort, isPortFree, reclaimPort } from './free-port.ts';

/** Used by these tests only, so that their claims block no port of other tests. */
const range = [30_000, 30_199] as const;

/** Ports that another process has claimed until the test ends. */
async function portsOfOther(count: number): Promise<number[]> {
  const claimer = fileURLToPath(new URL('testing/claim-ports.ts', import.meta.url));
  const other = fork(claimer, [count, ...range].map(String));
  onTestFinished(() => void other.kill());
  const [ports] = (await once(other, 'message')) as [number[]];
  return ports;
}

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
      // 2 × 50 of 200: without claims some 12 would be given twice.
      const otherPorts = portsOfOther(50);
      const ports: number[] = [];
      while (ports.length < 50) ports.push(await findFreePort(new Set(), range));
      expect(new Set([...ports, ...(await otherPorts)]).size).toBe(100);
    },
  );

  it.runIf(process.platform === 'linux')(
    'of the previous start is not reclaimed from another process',
    async () => {
      const port = await findFreePort();
      expect([await reclaimPort(port), await reclaimPort(port)]).toEqual([true, true]);
      const [ofOther = 0] = await portsOfOther(1);
      expect(await isPortFree(ofOther)).toBe(true);
      expect(await reclaimPort(ofOther)).toBe(false);
    },
  );
});
