import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { folderForFile } from '#infra/verify/harness/tests/for-file.ts';
import { goodFiles, hostileFiles, type Files } from '../testing/files/index.ts';
import { compareVerdicts } from '../testing/compare-verdicts.ts';
import { hasPython, pythonVerdicts } from '../testing/python.ts';
import { verdictOn } from '../testing/verdict.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = folderForFile();

const programs: [string, string][] = [
  ['TypeScript', 'clients/typescript/verify-statement'],
  ...(hasPython ? [['Python', 'clients/python/verify-statement'] as [string, string]] : []),
];

/** The verdicts of each verifier. */
const verifiers: [string, (files: readonly Files[]) => string[]][] = [
  ['TypeScript', (files) => files.map(verdictOn)],
  ...(hasPython ? [['Python', pythonVerdicts] as (typeof verifiers)[number]] : []),
];

describe.each(verifiers)('the verifier of statements in %s', (_language, verdicts) => {
  it('accepts what holds, however it is written (R25.4)', () => {
    const lines = verdicts(goodFiles);
    const wrong = goodFiles.flatMap(({ name, line }, at) =>
      lines[at]?.startsWith(line) ? [] : [{ name, line, got: lines[at] }],
    );
    expect(wrong).toEqual([]);
  });

  it('refuses what misleads or is no statement, and says where (R25.4)', () => {
    const lines = verdicts(hostileFiles);
    expect(hostileFiles.length).toBeGreaterThan(300);
    expect(new Set(hostileFiles.map(({ name }) => name)).size).toBe(hostileFiles.length);
    const wrong = hostileFiles.flatMap(({ name, line }, at) =>
      lines[at]?.startsWith(`not proved: ${line}`) ? [] : [{ name, line, got: lines[at] }],
    );
    expect(wrong).toEqual([]);
  });
});

describe.skipIf(!hasPython)('both verifiers of statements', () => {
  it('print the same line of each file (R25.4)', () => {
    const files = [...goodFiles, ...hostileFiles];
    expect(pythonVerdicts(files)).toEqual(files.map(verdictOn));
  });

  // `npm run verify -- statements` tries more.
  it('print the same line of mutated files, and accept none with other figures (R25.4)', () => {
    const compared = compareVerdicts({ seed: 1, count: 3_000 });
    expect(compared).toMatchObject({ different: [], misleading: [] });
    // Otherwise they would say nothing of what is accepted, or of most reasons.
    expect(compared.accepted).toBeGreaterThan(100);
    expect(compared.reasons).toBeGreaterThan(200);
  });
});

/** Of RFC 8032, section 7.1. */
const signedExamples = [
  {
    key: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    text: '',
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    key: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    text: '72',
    signature:
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  },
  {
    key: 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    text: 'af82',
    signature:
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  },
];

it.skipIf(!hasPython)('the verifier in Python verifies the examples of RFC 8032', () => {
  const forged = signedExamples.map((example) => ({ ...example, text: `${example.text}00` }));
  const inputs = [...signedExamples, ...forged].map(({ key, text, signature }) => ({
    signed: [key, text, signature].map((hex) => Buffer.from(hex, 'hex')) as [
      Buffer,
      Buffer,
      Buffer,
    ],
  }));
  expect(pythonVerdicts(inputs)).toEqual(['True', 'True', 'True', 'False', 'False', 'False']);
});

describe.each(programs)('verify-statement in %s', (_language, program) => {
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(join(root, program), args, { encoding: 'utf8' });
    return { status, lines: stdout.split('\n').length - 1, line: stdout, stderr };
  };
  const write = (name: string, content: string | Uint8Array) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const [good] = goodFiles;
  if (!good) throw new Error('no file');
  const [statement, keys] = [write('good.json', good.statement), write('keys.json', good.keys)];

  it('is a program with exit codes (R25.4)', () => {
    expect(run(statement, '--keys', keys)).toMatchObject({ status: 0, lines: 1 });
    expect(run(`--keys=${keys}`, statement)).toMatchObject({ status: 0, lines: 1 });
    const same = run(statement, '--keys', keys, '--previous', statement);
    expect(same).toMatchObject({ status: 1, lines: 1, stderr: '' });
  });

  it.each(['the last ten entries are cut', 'an empty file', 'UTF-16', 'nesting of 100,000 lists'])(
    'says in one line what does not hold: %s (R25.4)',
    (name) => {
      const file = hostileFiles.find((each) => each.name === name);
      const bad = write('bad.json', file?.statement ?? '');
      expect(run(bad, '--keys', keys)).toMatchObject({ status: 1, lines: 1, stderr: '' });
      const asKeys = run(statement, '--keys', bad);
      expect(asKeys).toMatchObject({ status: 1, lines: 1, stderr: '' });
    },
  );

  it('explains how it is used', () => {
    mkdirSync(join(folder, 'folder'), { recursive: true });
    for (const wrong of [
      [],
      [statement],
      ['--keys', keys],
      [statement, '--keys'],
      [statement, '--keys', ''],
      [statement, statement, '--keys', keys],
      [statement, '--keys', keys, '--keys', keys],
      [statement, '--keys', keys, '--previous'],
      [statement, '--keys', join(folder, 'none')],
      [join(folder, 'none'), '--keys', keys],
      [join(folder, 'folder'), '--keys', keys],
      [statement, '--keys', join(folder, 'folder')],
      [statement, '--keys', keys, '--nothing'],
    ]) {
      const { status, line, stderr } = run(...wrong);
      expect({ wrong, status, line }).toEqual({ wrong, status: 2, line: '' });
      expect(stderr).toMatch(/\n\nusage: verify-statement FILE /);
    }
    expect(run('--help')).toMatchObject({ status: 0, stderr: '' });
  });

  it('reads a pipe', () => {
    const command = `cat "$1" | "$0" /dev/stdin --keys "$2"`;
    const args = ['-c', command, join(root, program), statement, keys];
    expect(spawnSync('sh', args).status).toBe(0);
  });
});
