import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { z, ZodError } from 'zod';
import { mostRowsInEvent } from '#shared/domain/payout-batch/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { canonicalJson } from '#shared/platform/ids.ts';
import { dayMs } from '#shared/domain/day.ts';
import { DamagedValue } from '../personal-data/sealed-value.ts';
import { createBodySchema, type CreateBody } from '../create-body/body.ts';
import { findKeyInUse, type ShopClient } from '../personal-data/keys.ts';
import type { PersonalData, Sealer } from '../personal-data/personal-data.ts';
import type { ErasableReceiptStore, ReceiptStore } from '../receipts/receipt-store.ts';
import type { PayoutFileContent } from './read-file.ts';

/**
 * The rows of files that wait for their confirmation: one object a file in the store of receipts,
 * sealed with the key of the shop's files. Before the confirmation the log has neither rows nor
 * keys of their clients. An erasure in the shop destroys the key, and with it all that waits
 * (R24.4).
 */
export type WaitingFilePorts = {
  store: Pick<EventStore, 'read'>;
  receipts: Pick<ReceiptStore, 'put' | 'get' | 'remove'>;
  personal: Pick<PersonalData, 'sealer' | 'openText'>;
};

/** Has the key of a shop's files; no client of a merchant has an empty id. */
export const clientOfFiles = (shopId: string): ShopClient => ({ shopId, clientId: '' });

/** The folder of what a key of files has sealed. */
export const folderOfFiles = (keyId: string): string =>
  `payouts-${Buffer.from(keyId, 'base64url').toString('hex')}`;

const objectKey = (keyId: string, batchId: string) => `${folderOfFiles(keyId)}/${batchId}`;
const aboutChunk = (batchId: string, chunk: number) => `${batchId} chunk ${chunk}`;
const chunkSchema = z.array(createBodySchema);

/** The rows in chunks of 50. The event loop has a turn after each. */
async function* splitRows(bodies: readonly CreateBody[]): AsyncGenerator<readonly CreateBody[]> {
  for (let at = 0; at < bodies.length; at += mostRowsInEvent) {
    yield bodies.slice(at, at + mostRowsInEvent);
    await turn();
  }
}

/**
 * A hash of the file's content under the key of the shop's files: once that is destroyed, no number
 * can be found by trying values.
 */
export async function hashFile(
  sealer: Sealer,
  file: Pick<PayoutFileContent, 'rows' | 'errors' | 'bodies' | 'faultyRows'>,
): Promise<string> {
  const digest = createHash('sha256');
  digest.update(`${canonicalJson([file.rows, file.errors])}\n`);
  // Their IDs may be errors too. The hash of a file without errors is the one of earlier versions.
  if (file.faultyRows.length > 0) digest.update(`${canonicalJson(file.faultyRows)}\n`);
  for await (const chunk of splitRows(file.bodies)) digest.update(`${canonicalJson(chunk)}\n`);
  return sealer.bodyHash('payout file', digest.digest('hex')).hmac;
}

/** @throws Problem not_ready when it could not be stored */
export async function storeWaitingRows(
  { receipts }: Pick<WaitingFilePorts, 'receipts'>,
  { batchId, sealer, bodies }: { batchId: string; sealer: Sealer; bodies: readonly CreateBody[] },
): Promise<void> {
  const lines: string[] = [];
  for await (const chunk of splitRows(bodies))
    lines.push(sealer.text(aboutChunk(batchId, lines.length), JSON.stringify(chunk)));
  const content = Buffer.from(lines.join('\n'));
  await receipts.put(objectKey(sealer.keyId, batchId), content).catch((cause: unknown) => {
    const detail = 'the file could not be stored: send it again';
    throw new Problem('not_ready', { detail, cause });
  });
}

/** They are lost for good, other than while a store does not answer. */
class DamagedRows extends Problem {
  constructor(cause: unknown) {
    const detail = 'the rows of the file can’t be read any more: send it again';
    super('confirmation_not_expected', { detail, cause });
  }
}

type StoredRows = {
  chunks: number;
  /**
   * A chunk of 50; undefined once it is erased. @throws DamagedRows, or an error when the key can't
   * be read
   */
  chunk(at: number): Promise<readonly CreateBody[] | undefined>;
};

export type WaitingRows = StoredRows & {
  /** Whether an erasure in the shop has begun. @throws when the store does not answer */
  isErased(): Promise<boolean>;
  remove(): Promise<void>;
};

/** @throws Problem not_ready when the store of receipts does not answer */
async function openObject(
  {
    receipts,
    personal,
  }: { receipts: Pick<ReceiptStore, 'get'>; personal: Pick<PersonalData, 'openText'> },
  { keyId, batchId }: { keyId: string; batchId: string },
): Promise<StoredRows | undefined> {
  const content = await receipts.get(objectKey(keyId, batchId)).catch(throwNotReady);
  if (!content) return undefined;
  const lines = Buffer.from(content).toString().split('\n');
  return {
    chunks: lines.length,
    chunk: async (at) => {
      try {
        const text = await personal.openText(lines[at] ?? '', aboutChunk(batchId, at));
        return text === undefined ? undefined : chunkSchema.parse(JSON.parse(text));
      } catch (error) {
        if (damages.some((damage) => error instanceof damage)) throw new DamagedRows(error);
        throw error;
      }
    },
  };
}

const damages = [DamagedValue, SyntaxError, ZodError];

function throwNotReady(cause: unknown): never {
  const detail = 'the rows of the file can’t be read at the moment';
  throw new Problem('not_ready', { detail, cause });
}

/**
 * Whether a file that waits, sealed with that key of the shop's files, has a row of the client. One
 * that is damaged counts as having it: nobody can say that it does not.
 * @throws Problem not_ready when the store of receipts does not answer
 */
export async function hasWaitingRow(
  ports: {
    personal: Pick<PersonalData, 'openText'>;
    receipts: Pick<ErasableReceiptStore, 'get' | 'list'>;
  },
  { keyId, clientId }: { keyId: string; clientId: string },
): Promise<boolean> {
  const files = await ports.receipts.list(folderOfFiles(keyId)).catch(throwNotReady);
  const isOfClient = ({ client_id }: CreateBody) => client_id === clientId;
  const isDamaged = (error: unknown) => {
    if (error instanceof DamagedRows) return 'damaged' as const;
    throw error;
  };
  for (const { name: batchId } of files) {
    const file = await openObject(ports, { keyId, batchId });
    for (let at = 0; at < (file?.chunks ?? 0); at += 1) {
      const rows = await file?.chunk(at).catch(isDamaged);
      if (rows === 'damaged' || rows?.some(isOfClient)) return true;
      await turn();
    }
  }
  return false;
}

/**
 * Undefined if there are none: they are in the log, or an erasure has destroyed them.
 * @throws Problem not_ready when the store of receipts does not answer
 */
export async function openWaitingRows(
  ports: WaitingFilePorts,
  { shopId, batchId }: { shopId: string; batchId: string },
): Promise<WaitingRows | undefined> {
  // From the log: this process may have cached a key that is not in use any more.
  const keyId = await findKeyInUse(ports.store, clientOfFiles(shopId));
  if (keyId === undefined) return undefined;
  const rows = await openObject(ports, { keyId, batchId });
  return (
    rows && {
      ...rows,
      isErased: async () => (await findKeyInUse(ports.store, clientOfFiles(shopId))) !== keyId,
      remove: () => ports.receipts.remove(objectKey(keyId, batchId)),
    }
  );
}

/** How long the rows of a file are stored after it was sent last. */
const lifetimeMs = 30 * dayMs;

/**
 * Deletes the rows of a shop's files that nobody has confirmed in 30 days (R24.10).
 * @returns how many files. @throws when a store does not answer
 */
export async function removeExpiredFiles(
  {
    store,
    receipts,
  }: {
    store: Pick<EventStore, 'read'>;
    receipts: Pick<ErasableReceiptStore, 'list' | 'remove' | 'storedAtMs'>;
  },
  { shopId, nowMs }: { shopId: string; nowMs: number },
): Promise<number> {
  const keyId = await findKeyInUse(store, clientOfFiles(shopId));
  if (keyId === undefined) return 0;
  const isExpired = (storedAtMs: number) => nowMs - storedAtMs >= lifetimeMs;
  let removed = 0;
  for (const { name, storedAtMs } of await receipts.list(folderOfFiles(keyId))) {
    if (!isExpired(storedAtMs)) continue;
    const key = objectKey(keyId, name);
    // It may have been sent again since it was listed.
    if (!isExpired((await receipts.storedAtMs(key)) ?? nowMs)) continue;
    await receipts.remove(key);
    removed += 1;
  }
  return removed;
}
