import { createPrivateKey, createPublicKey, hash, sign } from 'node:crypto';
import { append, emptyFrontier } from '#shared/platform/merkle/frontier.ts';
import { leafHash } from '#shared/platform/merkle/hashes.ts';
import { createStoredTree } from '#shared/platform/merkle/stored-tree.ts';
import { canonicalJson } from '#shared/platform/ids.ts';

// Tests change any member of it.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

type Kind = 'credit' | 'reserve' | 'capture' | 'release' | 'adjustment' | 'suspense';
/** In minor units: what an entry adds to the balance and to the reserved funds. */
type Move = { currency: string; kind: Kind; amount: number; reserved: number } & {
  /** The second of another leaf, for a tree that is not ordered by time. */
  at?: number;
};

const key = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 7)]),
  format: 'der',
  type: 'pkcs8',
});
const { x } = createPublicKey(key).export({ format: 'jwk' });
const key_id = hash('sha256', x ?? '', 'hex').slice(0, 16);

/** The answer of `GET /v1/keys`. */
export const keys: Json = {
  keys: [
    {
      key_id,
      kty: 'OKP',
      crv: 'Ed25519',
      x,
      valid_from: '2026-01-01T00:00:00.000Z',
      valid_until: null,
    },
  ],
};

const decimal = (minor: number): string => (minor / 100).toFixed(2);
const timeOf = (leaf: number): string =>
  new Date(Date.parse('2026-01-31T12:00:00.000Z') + leaf * 1_000).toISOString();

/** The entries of moves as leaves of one tree, and its stored hashes. */
function ledgerOf(shopId: string, moves: readonly Move[]) {
  const levels: Buffer[][] = [[]];
  let frontier = emptyFrontier;
  const totals = new Map<string, { balance: number; reserved: number }>();
  const entries = moves.map(({ currency, kind, amount, reserved, at }, index) => {
    const before = totals.get(currency) ?? { balance: 0, reserved: 0 };
    const after = { balance: before.balance + amount, reserved: before.reserved + reserved };
    totals.set(currency, after);
    const ofOperation = kind !== 'adjustment';
    const entry = {
      entry_id: `${shopId}-${index}`,
      operation_id: ofOperation ? `operation-${index}` : null,
      merchant_operation_id: ofOperation ? `заказ "${index}" 🙂` : null,
      kind,
      amount: decimal(amount),
      reserved: decimal(after.reserved),
      balance: decimal(after.balance),
      at: timeOf(at ?? index),
    };
    const leaf = leafHash(canonicalJson(entry));
    const appended = append(frontier, leaf);
    frontier = appended.frontier;
    levels[0]?.push(leaf);
    for (const { height, hash: root } of appended.completed)
      if (height % 8 === 0) (levels[height / 8] ??= []).push(root);
    return { currency, after: after.balance, entry, leaf };
  });
  return { entries, levels };
}

/** The statements of a shop with these moves, one entry per second. */
export function statementsOf(shopId: string, moves: readonly Move[]) {
  const { entries, levels } = ledgerOf(shopId, moves);
  const tree = createStoredTree(async ({ level, from, to }) =>
    (levels[level] ?? []).slice(from, to),
  );
  const encoded = (hashes: readonly Buffer[]) => hashes.map((each) => each.toString('base64url'));

  const checkpointOf = async (size: number) => {
    const root = await tree.root(size);
    const text = `${shopId}\n${size}\n${root.toString('base64')}\n`;
    return {
      tree_size: size,
      root: root.toString('base64url'),
      at: timeOf(size),
      key_id,
      signature: sign(null, Buffer.from(text), key).toString('base64url'),
    };
  };
  /** The statement of the leaves `from` to before `to`, like the gateway's. */
  return async (currency: string, from: number, to: number): Promise<Json> => {
    const ofCurrency = entries.filter((each) => each.currency === currency);
    const own = entries
      .map((each, index) => ({ ...each, index }))
      .filter((each) => each.currency === currency && each.index >= from && each.index < to);
    const earlier = ofCurrency.filter(({ entry }) => entry.at < timeOf(from)).at(-1)?.after ?? 0;
    const listed = await Promise.all(
      own.map(async ({ entry, leaf, index }) => ({
        ...entry,
        leaf: leaf.toString('base64url'),
        proof: { index, hashes: encoded(await tree.inclusionProof(index, to)) },
      })),
    );
    return {
      shop_id: shopId,
      currency,
      from: timeOf(from),
      to: timeOf(to),
      opening: decimal(earlier),
      closing: decimal(own.at(-1)?.after ?? earlier),
      entries: listed,
      checkpoint: await checkpointOf(to),
      consistency: {
        from_size: from,
        proof: encoded(await tree.consistencyProof(from, to)),
      },
    };
  };
}

/** Alternating moves of two currencies, of every kind, some without an amount. */
export function sampleMoves(count: number): Move[] {
  const cycle: Omit<Move, 'currency'>[] = [
    { kind: 'credit', amount: 9_750, reserved: 0 },
    { kind: 'reserve', amount: -5_100, reserved: 5_100 },
    { kind: 'suspense', amount: 0, reserved: 0 },
    { kind: 'capture', amount: 0, reserved: -5_100 },
    { kind: 'adjustment', amount: -33, reserved: 0 },
    { kind: 'reserve', amount: -700, reserved: 700 },
    { kind: 'release', amount: 700, reserved: -700 },
  ];
  const turns = { RUB: 0, EUR: 0 };
  return Array.from({ length: count }, (_, index) => {
    const currency = index % 3 === 2 ? 'EUR' : 'RUB';
    const move = cycle[turns[currency] % cycle.length];
    turns[currency] += 1;
    if (!move) throw new Error('no move');
    return { ...move, currency };
  });
}
