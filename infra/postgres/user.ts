import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { listUsers, planRunAs, type RunAs, type User } from '../process/run-as.ts';

/**
 * PostgreSQL refuses to run as root. These users are tried in turn; every Linux has the last one.
 */
const candidates = ['postgres', 'nobody'];

/**
 * Makes the folder for PostgreSQL, and decides which user runs it: an ordinary user itself; root
 * another one, the folder's owner once there is one.
 * @throws a message of one line with the remedy, when no user can reach the folder or the programs.
 */
export function prepareFolder(folder: string, programs: string): RunAs {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (process.getuid?.() !== 0) return { prefix: [] };
  const user = chooseUser(folder);
  chownSync(folder, user.uid, user.gid);
  letPass(dirname(folder));
  const plan = planRunAs(user, [programs, dirname(folder)]);
  if (plan === undefined) {
    throw new Error(
      `PostgreSQL can't run as root, and the user ${user.name} can't reach ${folder} or ${programs}: ` +
        'run as an ordinary user, put DATA_DIR and the checkout where every user may pass (chmod o+x), install setpriv, or set DATABASE_URL',
    );
  }
  return plan;
}

function chooseUser(folder: string): User {
  const users = listUsers();
  const owner = statSync(folder).uid;
  const user =
    owner === 0
      ? candidates
          .map((name) => users.find((entry) => entry.name === name))
          .find((entry) => entry !== undefined)
      : users.find(({ uid }) => uid === owner);
  if (user === undefined) {
    throw new Error(
      `PostgreSQL can't run as root, and ${owner === 0 ? candidates.join(' or ') : `uid ${owner}, who owns ${folder},`} is no user of this system`,
    );
  }
  return user;
}

/**
 * The folder above holds secrets in files that are their owner's alone; passing through it shows
 * none.
 */
function letPass(folder: string): void {
  const { mode, uid } = statSync(folder);
  if (uid === 0 && (mode & 0o001) === 0) chmodSync(folder, (mode & 0o777) | 0o011);
}
