import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type LockEntry = {
  integrity?: string;
  link?: boolean;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
};

/** The lock files of the project, from its root. */
export const lockFiles = [
  'package-lock.json',
  'infra/verify/deploy/tools/package-lock.json',
] as const;

/** Those without a strong hash. `npm ci` takes whatever the registry gives for them. */
export function unverified(root: string, file: string) {
  const { packages } = JSON.parse(readFileSync(join(root, file), 'utf8')) as {
    packages: Record<string, LockEntry>;
  };
  return Object.entries(packages)
    .filter(([path, { link, integrity }]) => path !== '' && !link && !isStrong(integrity))
    .map(([path, { dev, optional, os, cpu, libc }]) => ({
      name: path.split('node_modules/').at(-1) ?? path,
      /** `npm ci` can't install it where the gateway runs: Linux with glibc, x64 or arm64. */
      isElsewhere:
        excludes(os, 'linux') ||
        excludes(libc, 'glibc') ||
        (excludes(cpu, 'x64') && excludes(cpu, 'arm64')),
      isOptionalTool: dev === true && optional === true,
    }));
}

const isStrong = (integrity = ''): boolean => /^sha512-[\w+/]{86}==$/.test(integrity);

const excludes = (named: readonly string[] | undefined, ours: string): boolean =>
  named !== undefined && !named.includes(ours);
