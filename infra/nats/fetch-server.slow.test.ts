import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { listenOnLoopback } from '#infra/verify/harness/processes/loopback.ts';
import { findProgram } from '../process/find-program.ts';
import { fetchNatsServer } from './fetch-server.ts';

const hasApt = ['apt-get', 'dpkg-deb', 'dpkg'].every((tool) => findProgram(tool) !== undefined);

/** A package with one large file that does not compress, and its entry in a list of packages. */
function buildPackage(): { deb: Buffer; list: string; program: Buffer } {
  const folder = useTempFolder();
  const tree = join(folder, 'tree');
  mkdirSync(join(tree, 'DEBIAN'), { recursive: true });
  mkdirSync(join(tree, 'usr/sbin'), { recursive: true });
  const program = randomBytes(2_000_000);
  writeFileSync(join(tree, 'usr/sbin/nats-server'), program);
  const architecture = execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim();
  const control = `Package: nats-server\nVersion: 99.0\nArchitecture: ${architecture}\nMaintainer: none <none@example.com>\nDescription: for a test\n`;
  writeFileSync(join(tree, 'DEBIAN/control'), control);
  const file = join(folder, 'nats-server.deb');
  execFileSync('dpkg-deb', ['--root-owner-group', '-b', tree, file]);
  const sum = execFileSync('sha256sum', [file], { encoding: 'utf8' }).split(' ')[0];
  const deb = readFileSync(file);
  const list = `${control}Filename: nats-server.deb\nSize: ${deb.length}\nSHA256: ${sum}\n`;
  return { deb, list, program };
}

it.runIf(hasApt)('continues a fetch of nats-server that was interrupted', async () => {
  const { deb, list, program } = buildPackage();
  const changedAt = new Date('2026-01-31T12:00:00Z').toUTCString();
  const starts: number[] = [];
  let breaks = true;
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/Packages')) return response.end(list);
    if (!request.url?.endsWith('.deb')) return response.writeHead(404).end();
    const start = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    starts.push(start);
    const range = { 'content-range': `bytes ${start}-${deb.length - 1}/${deb.length}` };
    // Without a time apt can't know that it is the same file.
    const length = { 'content-length': deb.length - start, 'last-modified': changedAt };
    response.writeHead(start > 0 ? 206 : 200, start > 0 ? { ...range, ...length } : length);
    if (!breaks) return response.end(deb.subarray(start));
    const part = deb.subarray(start, start + Math.floor((deb.length - start) / 2));
    return response.write(part, () => response.destroy());
  });
  const port = await listenOnLoopback(server);
  onTestFinished(() => void server.close());
  const folder = join(useTempFolder(), 'nats-server');
  const sources = join(useTempFolder(), 'sources.list');
  writeFileSync(sources, `deb [trusted=yes] http://127.0.0.1:${port}/ ./\n`);
  const fetchFromHere = () =>
    fetchNatsServer({
      folder,
      aptOptions: [`Dir::Etc::sourcelist=${sources}`, 'Dir::Etc::sourceparts=-'],
    });
  await expect(fetchFromHere()).rejects.toThrow('Failed to fetch');
  expect(starts[0]).toBe(0);
  const interrupted = starts.length;
  breaks = false;
  await fetchFromHere();
  const [resumed] = starts.slice(interrupted);
  expect(resumed).toBeGreaterThan(0);
  expect(readFileSync(join(folder, 'usr/sbin/nats-server')).equals(program)).toBe(true);
});
