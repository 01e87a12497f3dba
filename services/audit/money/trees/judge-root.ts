import type { SignedCheckpoint } from '#shared/domain/ledger/checkpoints.ts';
import type { FlagViolation } from '../../report/findings/report-violation.ts';
import type { EntryTree } from './entry-tree.ts';

/** A checkpoint may repeat the size of the one before it, for a later time. */
export function judgeRoot(tree: EntryTree, data: SignedCheckpoint, flag: FlagViolation): void {
  const before = tree.signed?.size ?? 0;
  const { size } = tree.frontier;
  if (data.tree_size < before)
    return flag('tree.size', `${data.tree_size} entries follow ${before}`);
  if (data.tree_size > size)
    return flag('tree.size', `${data.tree_size} entries are signed, there are ${size}`);
  const root = tree.rootAt(data.tree_size)?.toString('base64url');
  if (root === undefined)
    flag('tree.root', `it was signed so late that the root of ${data.tree_size} entries is gone`);
  else if (root !== data.root)
    flag('tree.root', `${data.root} is signed, the entries give ${root}`);
}
