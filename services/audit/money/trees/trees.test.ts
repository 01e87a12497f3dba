import { expect, it } from 'vitest';
import type { Entry } from '#shared/domain/ledger/events.ts';
import { leafHash } from '#shared/platform/merkle/hashes.ts';
import type { AuditFinding } from '../../report/findings/findings.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import { EntryTree } from './entry-tree.ts';
import { createAuditTrees } from './trees.ts';

const envelope = (type: string, data: object = {}) =>
  ({
    event: { stream: 'checkpoints-s-RUB', position: 0, revision: 0 },
    atMs: 0,
    type,
    data,
    metadata: { schema_version: 2 },
  }) as EventEnvelope;
const entry = { shop_id: 's', currency: 'RUB', kind: 'credit', operation_id: 'o' } as Entry;
const posted = { entry, moves: new Map(), envelope: envelope('EntryPosted') };
const signed = {
  shop_id: 's',
  currency: 'RUB',
  tree_size: 1,
  root: 'r',
  signed_at: '1970-01-01T00:00:01Z',
  key_id: 'k',
  signature: 's',
};

it('binds later entries by a checkpoint, unless that lacks an earlier entry (R25.2)', () => {
  const context = { rows: {}, report: () => undefined };
  const leafAfter = (entries: number) => {
    const trees = createAuditTrees();
    for (let count = 0; count < entries; count += 1) trees.add(posted, undefined);
    trees.checkpoint(context, envelope('CheckpointSigned', signed));
    return trees.add(posted, undefined);
  };
  expect(leafAfter(1)).toMatchObject({ atMs: 1_000, tree: { signed: { size: 1, atMs: 1_000 } } });
  expect(leafAfter(2)).toMatchObject({ atMs: 0 });
  expect(leafAfter(2).tree.signed).toBeUndefined();
});

it('reports a root that is signed after 16,384 more entries (R25.3)', () => {
  const trees = createAuditTrees();
  const findings: AuditFinding[] = [];
  for (let count = 0; count < 16_384; count += 1) trees.add(posted, undefined);
  trees.checkpoint(
    { rows: {}, report: (finding) => findings.push(finding) },
    envelope('CheckpointSigned', signed),
  );
  expect(findings).toMatchObject([
    { rule: 'tree.signature' },
    { rule: 'tree.root', message: expect.stringContaining('so late') },
  ]);
});

it('retains the roots of recent sizes', () => {
  const tree = new EntryTree();
  const roots = Array.from({ length: 20_000 }, (_, index) => {
    tree.add({ hash: leafHash(String(index)), atMs: 0 });
    return index === 15_000 ? tree.rootAt(index + 1) : undefined;
  });
  expect(tree.rootAt(15_001)).toEqual(roots[15_000]);
  expect(tree.rootAt(100)).toBeUndefined();
  expect(tree.rootAt(20_001)).toBeUndefined();
});
