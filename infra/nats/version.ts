import { spawnSync } from 'node:child_process';
import { isOlderNats, leastNatsVersion } from '#shared/platform/nats/least-version.ts';
import { findNatsServer } from './find-server.ts';

/**
 * The version that this machine's nats-server reports; undefined if there is none, or it reports
 * none.
 */
export function natsServerVersion(): string | undefined {
  const command = findNatsServer();
  if (command === undefined) return undefined;
  const { stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' });
  return /v?(\d+\.\d+\.\d+\S*)/.exec(stdout ?? '')?.[1];
}

/** Why it is not suitable for production; undefined if it is. */
export function whyTooOld(version: string | undefined): string | undefined {
  if (version !== undefined && !isOlderNats(version)) return undefined;
  const name =
    version === undefined ? 'a nats-server that names no version' : `nats-server ${version}`;
  return `${name} is for trying things out: production takes ${leastNatsVersion} or newer`;
}
