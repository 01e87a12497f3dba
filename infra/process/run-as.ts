import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { findProgram } from './find-program.ts';

/** The user that a program runs as, and the command prefix for it. */
export type RunAs = {
  readonly uid?: number;
  readonly gid?: number;
  readonly prefix: readonly string[];
};

export type User = { readonly name: string; readonly uid: number; readonly gid: number };

/** The command line that runs a program as that user. */
export function runAsCommand(
  { prefix }: RunAs,
  program: string,
  args: readonly string[],
): { command: string; args: readonly string[] } {
  const [first, ...rest] = prefix;
  return first === undefined
    ? { command: program, args }
    : { command: first, args: [...rest, program, ...args] };
}

/** The users of this system, from /etc/passwd. */
export function listUsers(passwd = readFileSync('/etc/passwd', 'utf8')): User[] {
  return passwd
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 7)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}

/** Whether a user without privileges can enter the folder and every folder above it. */
export function canEnter({ uid, gid }: User, folder: string): boolean {
  for (let path = folder; ; path = dirname(path)) {
    const { mode, uid: owner, gid: group } = statSync(path);
    const shift = owner === uid ? 6 : group === gid ? 3 : 0;
    if (((mode >> shift) & 1) === 0) return false;
    if (path === dirname(path)) return true;
  }
}

const capabilities = { dac_override: 1n, dac_read_search: 2n };

function hasCapability(name: keyof typeof capabilities): boolean {
  const [, bits = '0'] =
    /^CapEff:\s*([0-9a-f]+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return ((BigInt(`0x${bits}`) >> capabilities[name]) & 1n) === 1n;
}

/**
 * How root runs a program as an ordinary user. Where a folder on the way is root's alone (a
 * checkout or a DATA_DIR below /root), the user gets the one capability that lets it pass, and
 * nothing else of root's.
 * @param folders what the program must be able to enter
 * @returns undefined when the user can't enter them and the system has no way to let it
 */
export function planRunAs(user: User, folders: readonly string[]): RunAs | undefined {
  if (folders.every((folder) => canEnter(user, folder))) {
    return { uid: user.uid, gid: user.gid, prefix: [] };
  }
  const setpriv = findProgram('setpriv');
  const pass = hasCapability('dac_read_search')
    ? 'dac_read_search'
    : hasCapability('dac_override')
      ? 'dac_override'
      : undefined;
  if (setpriv === undefined || pass === undefined) return undefined;
  const set = `-all,+${pass}`;
  return {
    prefix: [
      setpriv,
      `--reuid=${user.uid}`,
      `--regid=${user.gid}`,
      '--clear-groups',
      `--inh-caps=${set}`,
      `--ambient-caps=${set}`,
      `--bounding-set=${set}`,
    ],
  };
}
