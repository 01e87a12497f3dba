import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { lockFiles, unverified } from './integrity.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * The linter's binaries for platforms that the gateway does not run on. The registry that the lock
 * file was made with lacks them, and `npm ci` rejects a lock file without them: installations on
 * such platforms trust the registry.
 */
const platforms = `android-arm-eabi android-arm64 darwin-arm64 darwin-x64 freebsd-x64
  linux-arm-gnueabihf linux-arm-musleabihf linux-arm64-musl linux-ppc64-gnu linux-riscv64-gnu
  linux-riscv64-musl linux-s390x-gnu linux-x64-musl openharmony-arm64 win32-arm64-msvc
  win32-ia32-msvc win32-x64-msvc`;
const exceptions = [
  ...['darwin-arm64', 'darwin-x64', 'win32-arm64', 'win32-x64'].map(
    (platform) => `@oxlint-tsgolint/${platform}`,
  ),
  ...platforms.split(/\s+/).map((platform) => `@oxlint/binding-${platform}`),
];

it('verifies every package by a strong hash, except these for other platforms', () => {
  const withoutHash = lockFiles.flatMap((file) => unverified(root, file));
  expect(withoutHash.map(({ name }) => name)).toEqual(exceptions);
  expect(
    withoutHash.filter(({ isElsewhere, isOptionalTool }) => !isElsewhere || !isOptionalTool),
  ).toEqual([]);
});

it('reports packages without a strong hash, and whether they are for this platform', () => {
  const folder = useTempFolder();
  const strong = `sha512-${'A'.repeat(86)}==`;
  const linux = { os: ['linux'], dev: true, optional: true };
  const packages = {
    '': {},
    'node_modules/sound': { integrity: strong },
    'node_modules/weak': { integrity: 'sha1-AAAA' },
    'node_modules/a/node_modules/here': { ...linux, cpu: ['arm64'], libc: ['glibc'] },
    'node_modules/musl': { ...linux, cpu: ['x64'], libc: ['musl'] },
    'node_modules/shipped': { os: ['win32'], optional: true },
  };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }));
  expect(unverified(folder, 'package-lock.json')).toEqual([
    { name: 'weak', isElsewhere: false, isOptionalTool: false },
    { name: 'here', isElsewhere: false, isOptionalTool: true },
    { name: 'musl', isElsewhere: true, isOptionalTool: true },
    { name: 'shipped', isElsewhere: true, isOptionalTool: false },
  ]);
});
