import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { createFindings } from '../../report/findings/findings.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { Pass } from '../pass/log-pass.ts';
import { makeSpillFolder } from '../spill/temp-folder.ts';
import { generateLog } from '../../testing/generated-log.ts';
import { createChain } from '#shared/application/log/chain.ts';
import {
  parseCheckpoint,
  signCheckpoint,
  whyNotSigned,
  type ChainCheckpoint,
} from './checkpoint.ts';
import { ownKeyFile, signingKey, trustedKey } from './keys.ts';
import { createSinceCheck } from './checkpoint-check.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const other = generateKeyPairSync('ed25519');
const log = generateLog({ seed: 3, operations: 20 }).events;
const middle = Math.floor(log.length / 2);

function checkpointAt(events: readonly RawEvent[], count: number): ChainCheckpoint {
  const chain = createChain();
  for (const event of events.slice(0, count)) chain.add(event);
  const position = events[count - 1]?.position ?? 0;
  const createdAt = new Date('2026-02-01T00:00:00.000Z');
  const content = { position, events: chain.events(), hash: chain.hash(), createdAt };
  return signCheckpoint(content, privateKey);
}

/** Audits a log from its start against the checkpoint. */
function verify(checkpoint: ChainCheckpoint, events: readonly RawEvent[]) {
  const spill = makeSpillFolder();
  const findings = createFindings();
  const pass = new Pass({ folder: spill.path, report: () => undefined });
  const check = createSinceCheck(checkpoint, pass, findings.report);
  for (const event of events) {
    check.before(event.position);
    pass.take(event);
  }
  const holds = check.end();
  pass.close();
  spill.remove();
  return { holds, rules: findings.listed().map(({ rule }) => rule) };
}

it('confirms an unchanged log up to the checkpoint, with any later events (R18.7)', () => {
  const checkpoint = checkpointAt(log, middle);
  expect(verify(checkpoint, log)).toEqual({ holds: true, rules: [] });
  expect(verify(checkpoint, log.slice(0, middle))).toEqual({ holds: true, rules: [] });
  expect(verify(checkpointAt(log, 0), log)).toEqual({ holds: true, rules: [] });
});

const rewritten: [what: string, change: (event: RawEvent) => Partial<RawEvent>][] = [
  ['data', ({ data }) => ({ data: Buffer.concat([data, Buffer.from(' ')]) })],
  ['metadata', ({ metadata }) => ({ metadata: Buffer.concat([metadata, Buffer.from(' ')]) })],
  ['id', () => ({ id: '00000000-0000-4000-8000-000000000000' })],
  ['type', () => ({ type: 'Other' })],
  ['stream', () => ({ stream: 'operation-other' })],
  ['revision', ({ revision }) => ({ revision: revision + 1 })],
  ['position', ({ position }) => ({ position: position + 1 })],
  ['time', ({ createdTicks }) => ({ createdTicks: `${createdTicks}1` })],
];

it.each(rewritten)(
  'reports an event whose %s was rewritten before the checkpoint',
  (_what, change) => {
    const checkpoint = checkpointAt(log, middle);
    const at = Math.floor(middle / 2);
    const changed = log.map((event, index) =>
      index === at ? { ...event, ...change(event) } : event,
    );
    expect(verify(checkpoint, changed)).toEqual({ holds: false, rules: ['checkpoint.rewritten'] });
  },
);

it('reports lost events, and a log shorter than its checkpoint', () => {
  const checkpoint = checkpointAt(log, middle);
  const gap = log.filter((_, index) => index !== 5);
  expect(verify(checkpoint, gap).rules).toEqual(['checkpoint.rewritten']);
  expect(verify(checkpoint, log.slice(0, middle - 1)).rules).toEqual(['checkpoint.rewritten']);
});

it('ignores streams that a store may scavenge: system streams and key usage', () => {
  const checkpoint = checkpointAt(log, middle);
  const [event] = log;
  if (!event) throw new Error('an event was expected');
  const removable = ['$scavenges', '$$api-key-use-k', 'api-key-use-k'].map((stream, index) => ({
    ...event,
    stream,
    position: index + 1,
    revision: 7,
    type: 'ApiKeyUsed',
    data: Buffer.from('{}'),
  }));
  expect(verify(checkpoint, [...removable, ...log])).toEqual({ holds: true, rules: [] });
});

it('detects any change of a signed checkpoint, and another key (R18.7)', () => {
  const checkpoint = checkpointAt(log, middle);
  const trusted = createPublicKey(privateKey);
  expect(whyNotSigned(checkpoint, trusted)).toBeUndefined();
  expect(whyNotSigned(checkpoint, undefined)).toBeUndefined();
  expect(whyNotSigned(checkpoint, other.publicKey)).toMatch(/^it is signed with the key SHA256:/);
  const changes: Partial<ChainCheckpoint>[] = [
    { position: '1' },
    { events: 1 },
    { hash: 'a'.repeat(64) },
    { created_at: '2026-03-01T00:00:00.000Z' },
    { signature: checkpoint.signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')) },
    { public_key: other.publicKey.export({ type: 'spki', format: 'pem' }).toString() },
  ];
  const why = (change: Partial<ChainCheckpoint>) =>
    whyNotSigned({ ...checkpoint, ...change }, undefined);
  for (const each of changes) expect(why(each)).toBe('its signature does not match its content');
  expect(why({ public_key: 'none' })).toBe('it names no public key');
  expect(parseCheckpoint(JSON.stringify(checkpoint))).toEqual(checkpoint);
  expect(() => parseCheckpoint('{"version":1}')).toThrow('not a checkpoint');
});

it('creates a key once, readable only by its owner, and trusts it', () => {
  const dataDir = useTempFolder();
  const noKeys = { publicKeyFile: undefined, signingKeyFile: undefined, dataDir };
  expect(trustedKey(noKeys)).toBeUndefined();
  const key = signingKey({ file: undefined, dataDir });
  expect(statSync(ownKeyFile(dataDir)).mode & 0o777).toBe(0o600);
  const text = readFileSync(ownKeyFile(dataDir), 'utf8');
  const again = signingKey({ file: undefined, dataDir });
  expect(again.export({ type: 'pkcs8', format: 'pem' })).toBe(text);
  expect(trustedKey(noKeys)?.equals(createPublicKey(key))).toBe(true);
  const missing = () => signingKey({ file: join(dataDir, 'none.pem'), dataDir });
  expect(missing).toThrow("the key can't be read");
});
