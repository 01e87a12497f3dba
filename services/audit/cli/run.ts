import { createPublicKey } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { loadConfig } from '#shared/platform/config/load.ts';
import { audit } from '../audit.ts';
import {
  fingerprint,
  parseCheckpoint,
  signCheckpoint,
  whyNotSigned,
  type Checkpoint,
} from '../chain/checkpoint.ts';
import { signingKey, trustedKey } from '../chain/keys.ts';
import { seriesIn } from '../chain/series.ts';
import { createFindings } from '../findings/findings.ts';
import { readArguments, usage, type Arguments } from './arguments.ts';
import { createProgress, findingLine } from './progress.ts';
import { readReportKeys } from './report-keys.ts';
import { isComplete, renderJson, renderText } from './render.ts';
import { connectStores } from './stores.ts';

/** What could not be audited, in one line. */
class CannotAudit extends Error {}

type Settings = { DATA_DIR: string; AUDIT_SIGNING_KEY?: string | undefined };

/** Runs one audit as the command line asks. @returns the exit code */
export async function runAudit(given: readonly string[]): Promise<number> {
  const args = readArguments(given);
  if ('help' in args) {
    process.stdout.write(usage);
    return 0;
  }
  if ('problem' in args) {
    process.stderr.write(`${args.problem}\n\n${usage}`);
    return 2;
  }
  try {
    return await auditOnce(args, loadConfig(['DATA_DIR', 'AUDIT_SIGNING_KEY']));
  } catch (error) {
    process.stderr.write(
      `The audit could not be made: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    return 3;
  }
}

async function auditOnce(asked: Arguments, settings: Settings): Promise<number> {
  const startedAt = performance.now();
  const folder = asked.checkpointFolder;
  const args = folder === undefined ? asked : { ...asked, ...seriesIn(folder, new Date()) };
  const progress = createProgress();
  const out = args.json ? process.stderr : process.stdout;
  const findings = createFindings((finding) => {
    progress.clear();
    if (!args.json || process.stderr.isTTY) out.write(findingLine(finding));
  }, args.shopId);
  const notes: string[] = [];
  const since = args.sinceFile === undefined ? undefined : readSince(args.sinceFile);
  if (since && args.sinceFile !== undefined) {
    const trusted = trustedKey({
      publicKeyFile: args.publicKeyFile,
      signingKeyFile: settings.AUDIT_SIGNING_KEY,
      dataDir: settings.DATA_DIR,
    });
    const why = whyNotSigned(since, trusted);
    if (why !== undefined)
      findings.report({ rule: 'checkpoint.signature', stream: args.sinceFile, message: why });
    else if (!trusted)
      notes.push(
        `the checkpoint is signed with ${fingerprint(createPublicKey(since.public_key))}: no key was given to hold against that`,
      );
  }
  const signer =
    args.checkpointFile === undefined
      ? undefined
      : signingKey({ file: settings.AUDIT_SIGNING_KEY, dataDir: settings.DATA_DIR });
  const reportKeys = readReportKeys();
  const { log, outside, close } = await connectStores(args);
  try {
    const result = await audit({
      log,
      findings,
      outside,
      shopId: args.shopId,
      atMs: args.atMs,
      since,
      reportKeys,
      onProgress: progress.update,
    });
    progress.clear();
    result.notes.unshift(...notes);
    const holds = result.sinceHolds === true && findings.counts()['checkpoint.signature'] === undefined;
    if (signer && args.checkpointFile !== undefined) {
      if (since && !holds) result.notes.push('no checkpoint was written: the one before it does not hold');
      else {
        const { chain, position } = result;
        const checkpoint = signCheckpoint({ position, ...chain, createdAt: new Date() }, signer);
        writeWhole(args.checkpointFile, `${JSON.stringify(checkpoint, null, 2)}\n`);
        result.notes.push(`a checkpoint is in ${args.checkpointFile}, signed with ${fingerprint(signer)}`);
      }
    }
    const seconds = (performance.now() - startedAt) / 1000;
    const timing = { seconds, peakBytes: process.resourceUsage().maxRSS * 1024 };
    process.stdout.write(
      args.json ? renderJson(result, findings, timing) : renderText(result, findings, timing),
    );
    if (findings.total() > 0) return 1;
    return isComplete(result) ? 0 : 3;
  } finally {
    progress.clear();
    await close();
  }
}

function readSince(file: string): Checkpoint {
  try {
    return parseCheckpoint(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CannotAudit(`${file} can't be used: ${(error as Error).message}`, { cause: error });
  }
}

function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
