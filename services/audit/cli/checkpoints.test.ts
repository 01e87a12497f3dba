import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import type { AuditResult } from '../audit.ts';
import { signCheckpoint } from '../log/chain/checkpoint.ts';
import { seriesIn } from '../log/chain/series.ts';
import { createFindings } from '../report/findings/findings.ts';
import { readAuditArguments, type AuditArguments } from './arguments.ts';
import { holdCheckpoints } from './checkpoints.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const other = generateKeyPairSync('ed25519').privateKey;
const hashes = ['a', 'b', 'c'].map((letter) => letter.repeat(64));

/** Audits with --expect, on a log that is unchanged up to the newest checkpoint. */
function run(folder: string, expected: string) {
  const parsed = readAuditArguments([
    '--checkpoints',
    folder,
    '--expect',
    expected,
  ]) as AuditArguments;
  const args = { ...parsed, ...seriesIn(folder, new Date('2026-03-01T00:00:00.000Z')) };
  const findings = createFindings();
  const settings = { DATA_DIR: folder, AUDIT_SIGNING_KEY: join(folder, 'key.pem') };
  const checkpoints = holdCheckpoints(args, settings, findings);
  const chain = { events: 9, hash: 'f'.repeat(64) };
  const result = { sinceHolds: true, position: 9, chain, notes: [] } as unknown as AuditResult;
  const { written } = checkpoints.close(result);
  return { rules: Object.keys(findings.counts()), wrote: written !== undefined };
}

it('reports a missing checkpoint, and writes none after it', () => {
  const folder = useTempFolder();
  writeFileSync(join(folder, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  for (const [index, hash] of hashes.entries()) {
    const createdAt = new Date(`2026-02-0${index + 1}T00:00:00.000Z`);
    const content = { position: index, events: index, hash, createdAt };
    // The last one is signed with another key.
    const signed = signCheckpoint(content, index === 2 ? other : privateKey);
    writeFileSync(seriesIn(folder, createdAt).checkpointFile, JSON.stringify(signed));
  }
  const [older = '', newest = '', forged = ''] = hashes;
  const files = () =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .toSorted();
  expect(run(folder, forged).rules).toContain('checkpoint.missing');
  rmSync(join(folder, files()[2] ?? ''));
  const before = files();
  rmSync(join(folder, before[1] ?? ''));
  expect(run(folder, newest)).toEqual({ rules: ['checkpoint.missing'], wrote: false });
  expect(files()).toEqual(before.slice(0, 1));
  expect(run(folder, older)).toEqual({ rules: [], wrote: true });
});

it('accepts --expect only with a checkpoint, and only as a full hash', () => {
  expect(readAuditArguments(['--expect', 'a'.repeat(64)])).toHaveProperty('problem');
  expect(readAuditArguments(['--since', 'x', '--expect', 'abc'])).toHaveProperty('problem');
  const full = 'a'.repeat(64);
  expect(readAuditArguments(['--since', 'x', '--expect', full])).toMatchObject({ expect: full });
});
