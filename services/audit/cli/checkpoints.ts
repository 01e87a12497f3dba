import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { AuditResult } from '../audit.ts';
import {
  fingerprint,
  parseCheckpoint,
  signCheckpoint,
  whyNotSigned,
  type ChainCheckpoint,
} from '../log/chain/checkpoint.ts';
import { checkpointIn, knownCheckpoint } from '../log/chain/history.ts';
import { signingKey, trustedKey } from '../log/chain/keys.ts';
import type { RecordedJournal } from '../log/chain/recorded-audits.ts';
import { checkpointsIn } from '../log/chain/series.ts';
import type { Findings } from '../report/findings/findings.ts';
import type { RunCheckpoints } from '../report/run.ts';
import type { AuditArguments } from './arguments.ts';

export type KeySettings = { DATA_DIR: string; AUDIT_SIGNING_KEY?: string | undefined };

/** A report lists this many of a folder's newest checkpoints. */
const mostListed = 100;

/** The checkpoint to start from and the key to sign the next one with. */
type Held = {
  since: ChainCheckpoint | undefined;
  /** The others of the folder, as far as their signatures are valid. */
  earlier: RecordedJournal[];
  notes: string[];
  /** Writes the next one, unless the log was changed since the previous one. */
  close(result: AuditResult): RunCheckpoints;
};

/**
 * Reads the checkpoint to compare with, and reports a bad signature.
 * @throws a one-line Error when a file or a key can't be used
 */
export function holdCheckpoints(
  args: AuditArguments,
  settings: KeySettings,
  findings: Findings,
): Held {
  const { sinceFile, checkpointFile } = args;
  const notes: string[] = [];
  const since = sinceFile === undefined ? undefined : readSince(sinceFile);
  const needsTrust = since !== undefined || args.checkpointFolder !== undefined;
  const trusted = needsTrust
    ? trustedKey({
        publicKeyFile: args.publicKeyFile,
        signingKeyFile: settings.AUDIT_SIGNING_KEY,
        dataDir: settings.DATA_DIR,
      })
    : undefined;
  if (since && sinceFile !== undefined)
    judgeSignature({ since, sinceFile, trusted, notes, findings });
  judgeExpected(args, trusted, findings);
  const signer =
    checkpointFile === undefined
      ? undefined
      : signingKey({ file: settings.AUDIT_SIGNING_KEY, dataDir: settings.DATA_DIR });
  const next = (result: AuditResult, holds: boolean): ChainCheckpoint | undefined => {
    if (!signer || checkpointFile === undefined) return undefined;
    if (findings.counts()['checkpoint.missing'] !== undefined) {
      result.notes.push('no checkpoint was written: the one that is expected is missing');
      return undefined;
    }
    if (since && !holds) {
      result.notes.push('no checkpoint was written: the log was changed since the previous one');
      return undefined;
    }
    const { chain, position, signedFrom } = result;
    const content = { position, ...chain, signedFrom, createdAt: new Date() };
    const checkpoint = signCheckpoint(content, signer);
    writeAtomically(checkpointFile, `${JSON.stringify(checkpoint, null, 2)}\n`);
    result.notes.push(`a checkpoint is in ${checkpointFile}, signed with ${fingerprint(signer)}`);
    return checkpoint;
  };
  return {
    since,
    earlier: args.checkpointFolder === undefined ? [] : earlierIn(args, trusted),
    notes,
    close: (result) => {
      const holds =
        result.sinceHolds === true && findings.counts()['checkpoint.signature'] === undefined;
      const made = next(result, holds);
      const began =
        since && sinceFile !== undefined ? knownCheckpoint(sinceFile, since, trusted) : undefined;
      const written =
        made && checkpointFile !== undefined
          ? knownCheckpoint(checkpointFile, made, undefined)
          : undefined;
      const listed =
        args.checkpointFolder === undefined
          ? undefined
          : readHistory(args.checkpointFolder, trusted);
      return {
        ...(began && { since: { ...began, holds } }),
        ...(written && { written }),
        ...(listed ?? { history: [began, written].filter((each) => each !== undefined), older: 0 }),
      };
    },
  };
}

function earlierIn(
  { checkpointFolder = '', sinceFile }: AuditArguments,
  trusted: KeyObject | undefined,
): RecordedJournal[] {
  return checkpointsIn(checkpointFolder)
    .filter((file) => file !== sinceFile)
    .flatMap((file) => {
      const { problem, position, events, hash } = checkpointIn(file, trusted);
      if (problem !== undefined) return [];
      const place = { rule: 'checkpoint.rewritten', stream: file } as const;
      return [{ place, position: Number(position), events, hash }];
    });
}

function judgeSignature({
  since,
  sinceFile,
  trusted,
  notes,
  findings,
}: {
  since: ChainCheckpoint;
  sinceFile: string;
  trusted: KeyObject | undefined;
  notes: string[];
  findings: Findings;
}): void {
  const message = whyNotSigned(since, trusted);
  if (message !== undefined)
    return findings.report({ rule: 'checkpoint.signature', stream: sinceFile, message });
  if (trusted) return;
  const signer = fingerprint(createPublicKey(since.public_key));
  notes.push(`the checkpoint is signed with ${signer}: there is no key to verify it with`);
}

/** Checkpoints can be deleted: an auditor who noted the hash of one sees that here. */
function judgeExpected(
  { expect, sinceFile, checkpointFolder }: AuditArguments,
  trusted: KeyObject | undefined,
  findings: Findings,
): void {
  if (expect === undefined) return;
  const files =
    checkpointFolder !== undefined
      ? checkpointsIn(checkpointFolder)
      : sinceFile === undefined
        ? []
        : [sinceFile];
  const readings = files.map((file) => checkpointIn(file, trusted));
  if (readings.some(({ hash, problem }) => hash === expect && problem === undefined)) return;
  findings.report({
    rule: 'checkpoint.missing',
    stream: checkpointFolder ?? sinceFile ?? '',
    message: `of ${files.length} checkpoints none has the hash ${expect} and a valid signature`,
  });
}

function readHistory(folder: string, trusted: KeyObject | undefined) {
  const files = checkpointsIn(folder);
  const listed = files.slice(-mostListed);
  return {
    history: listed.map((file) => checkpointIn(file, trusted)),
    older: files.length - listed.length,
  };
}

function readSince(file: string): ChainCheckpoint {
  try {
    return parseCheckpoint(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file} can't be used: ${(error as Error).message}`, { cause: error });
  }
}

/** Writes a file atomically: it is new as a whole, or unchanged. */
export function writeAtomically(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
