import { expect, it } from 'vitest';
import type { Entry } from '#shared/domain/ledger/events.ts';
import type { Finding } from '../../report/findings/findings.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import { createTrees } from './trees.ts';

it('reports a root that is signed after 16,384 more entries (R25.3)', () => {
  const trees = createTrees();
  const findings: Finding[] = [];
  const envelope = (type: string, data: object = {}): EventEnvelope => ({
    event: { stream: 'checkpoints-s', position: 0, revision: 0 } as EventEnvelope['event'],
    atMs: 0,
    type,
    data,
    actor: 'service:test',
    metadata: { schema_version: 1 },
  });
  const entry = { shop_id: 's', kind: 'credit', operation_id: 'o' } as Entry;
  const posted = { entry, moves: new Map(), envelope: envelope('EntryPosted') };
  for (let count = 0; count < 16_384; count += 1) trees.add(posted, undefined);
  const signed = { shop_id: 's', tree_size: 1, root: 'r', signed_at: '2026-01-31T12:00:00Z' };
  trees.checkpoint(
    { rows: {}, report: (finding) => findings.push(finding) },
    envelope('CheckpointSigned', { ...signed, key_id: 'k', signature: 's' }),
  );
  expect(findings).toMatchObject([
    { rule: 'tree.root', message: expect.stringContaining('so late') },
    { rule: 'tree.signature' },
  ]);
});
