import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { folderForFile } from '#infra/verify/harness/for-file.ts';
import { html, json, problem, serveAnswers } from '#clients/typescript/testing/answers.ts';
import { unpackPackage } from '#infra/verify/client-package/package.ts';
import { partOf } from './load.ts';

const hasPython = spawnSync('python3', ['-V']).error === undefined;
const folder = folderForFile();

beforeAll(() => {
  unpackPackage(folder);
});

const languages: [language: string, command: string][] = [
  ['ts', process.execPath],
  ...(hasPython ? [['py', 'python3'] as [string, string]] : []),
];

it.each(languages)(
  'the guide in %s retries after the error page of a proxy and a not_ready',
  async (language, command) => {
    const busy = problem(503, 'not_ready', {
      headers: { 'retry-after': '1' },
      members: { retryable: true },
    });
    const { url, seen } = await serveAnswers(html(502), busy, json({ balances: ['here'] }));
    const code = partOf('guide', 'key').find((each) => each.language === language)?.code ?? '';
    writeFileSync(join(folder, `key.${language}`), code);
    const env = { PATH: process.env['PATH'], GATEWAY: url, API_KEY: 'key' };
    const run = promisify(execFile)(command, [`key.${language}`], { cwd: folder, env });
    expect((await run).stdout).toContain('here');
    expect(seen).toHaveLength(3);
  },
);
