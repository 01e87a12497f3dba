import { hashLeaf, rootOfInclusion } from './merkle.ts';
import { NotProved } from './reader.ts';
import { show } from './forms.ts';
import type { StatementCheckpoint, JournalEntry } from './shapes.ts';

/** The signed tree of a ledger. */
export type TreeHead = { size: number; root: Buffer; at: string };

export const treeFrom = ({ tree_size: size, root, at }: StatementCheckpoint): TreeHead => ({
  size,
  root: Buffer.from(root, 'base64url'),
  at,
});

/** What is verified of an entry. */
type Given = {
  entry: JournalEntry;
  /** `before`, `after` or the entry's place in the statement. */
  name: string;
  tree: TreeHead;
  /** Where it must be in the tree; anywhere if absent. */
  index?: number;
  /** The entry before it, if it is known; null for the first one of the ledger. */
  predecessor?: JournalEntry | null;
};

/**
 * Verifies that an entry is in the signed tree, at its place, and follows from its predecessor.
 * @returns how any reason why it does not hold is thrown, for what else it must fulfil
 * @throws NotProved
 */
export function verifyEntry({ entry, name, tree, index, predecessor }: Given) {
  const fail = (reason: string): never => {
    throw new NotProved(`${name} (${show(entry.entry_id.slice(1, -1))}): ${reason}`);
  };
  const { proof } = entry;
  const leaf = leafFrom(entry);
  if (leaf.toString('base64url') !== entry.leaf)
    fail('its content is not what its leaf is made of');
  if (index !== undefined && proof.index !== index)
    fail(`its index is ${proof.index}, not ${index}`);
  const root = rootOfInclusion({ ...proof, size: tree.size, leaf });
  if (!root?.equals(tree.root)) fail('its proof does not lead to the signed root');
  if (entry.at > tree.at) fail(`it is at ${entry.at}, after the checkpoint`);
  const wrong = whyWrongAmounts(entry, predecessor);
  if (wrong !== undefined) fail(wrong);
  return fail;
}

/** The hash of the entry without `leaf` and `proof`, as RFC 8785 writes it. */
export const leafFrom = (entry: JournalEntry): Buffer =>
  hashLeaf(
    `{"amount":"${entry.amount}","at":"${entry.at}","balance":"${entry.balance}",` +
      `"entry_id":${entry.entry_id},"kind":"${entry.kind}",` +
      `"merchant_operation_id":${entry.merchant_operation_id},` +
      `"operation_id":${entry.operation_id},"reserved":"${entry.reserved}"}`,
  );

function whyWrongAmounts(
  entry: JournalEntry,
  predecessor: JournalEntry | null | undefined,
): string | undefined {
  const { kind, amount, balance, reserved } = entry;
  const { balance: earlier, reserved: reservedEarlier } = predecessor ?? { balance, reserved };
  const places = decimalPlaces(amount);
  if ([balance, reserved, earlier].some((each) => decimalPlaces(each) !== places))
    return 'its amounts have not the same number of decimal places';
  if (predecessor === undefined) return undefined;
  const isFirst = predecessor === null;
  const sum = (isFirst ? 0n : unitsFrom(earlier)) + unitsFrom(amount);
  if (sum !== unitsFrom(balance))
    return `${isFirst ? '0' : earlier} and ${amount} are not ${balance}`;
  const moved = unitsFrom(reserved) - (isFirst ? 0n : unitsFrom(reservedEarlier));
  if (isReservedMoved(kind, { moved, amount: unitsFrom(amount) })) return undefined;
  return `a ${kind} does not change the reserved amount from ${isFirst ? '0' : reservedEarlier} to ${reserved}`;
}

/** How each kind of entry moves the reserved funds. */
function isReservedMoved(
  kind: string,
  { moved, amount }: { moved: bigint; amount: bigint },
): boolean {
  if (kind === 'reserve' || kind === 'release') return moved === -amount;
  return kind === 'capture' ? moved <= 0n : moved === 0n;
}

const decimalPlaces = (decimal: string): number => {
  const point = decimal.indexOf('.');
  return point < 0 ? 0 : decimal.length - point - 1;
};

/** The decimal in units of its last place. */
const unitsFrom = (decimal: string): bigint => BigInt(decimal.replace('.', ''));
