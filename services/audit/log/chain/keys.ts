import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '#shared/platform/make-folder.ts';

/** The key file for audits without AUDIT_SIGNING_KEY. */
export const ownKeyFile = (dataDir: string): string => join(dataDir, 'audit-signing-key.pem');

/**
 * The key that signs checkpoints: from the named file, else DATA_DIR's own, made on first use and
 * readable only by its owner.
 * @throws a one-line error that says what is wrong with the file
 */
export function signingKey({
  file,
  dataDir,
}: {
  file: string | undefined;
  dataDir: string;
}): KeyObject {
  const path = file ?? ownKeyFile(dataDir);
  if (file === undefined && !existsSync(path)) {
    makeFolder(dataDir);
    const { privateKey } = generateKeyPairSync('ed25519');
    const text = privateKey.export({ type: 'pkcs8', format: 'pem' });
    const fresh = `${path}.${process.pid}`;
    writeFileSync(fresh, text, { mode: 0o600, flag: 'wx' });
    try {
      // If two audits make one at once, the first wins, and both sign with it.
      linkSync(fresh, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(fresh, { force: true });
    }
  }
  const key = readKey(path, createPrivateKey);
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${path} holds no Ed25519 key`);
  return key;
}

/**
 * The public key that a checkpoint must be signed with: of the file that is named, else the one
 * that this audit would sign with itself, where there is one.
 * @throws one line that says what is wrong with the file
 */
export function trustedKey(files: {
  publicKeyFile: string | undefined;
  signingKeyFile: string | undefined;
  dataDir: string;
}): KeyObject | undefined {
  if (files.publicKeyFile !== undefined) return readKey(files.publicKeyFile, createPublicKey);
  const own = files.signingKeyFile ?? ownKeyFile(files.dataDir);
  return existsSync(own) ? createPublicKey(readKey(own, createPrivateKey)) : undefined;
}

function readKey(path: string, read: (pem: Buffer) => KeyObject): KeyObject {
  let text: Buffer;
  try {
    text = readFileSync(path);
  } catch (error) {
    throw new Error(`the key can't be read: ${(error as Error).message}`, { cause: error });
  }
  try {
    return read(text);
  } catch (error) {
    throw new Error(`${path} holds no key in PEM`, { cause: error });
  }
}
