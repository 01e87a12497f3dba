import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { receiptKey } from '#shared/application/receipts/store.ts';
import { audit } from '../audit.ts';
import { isCompleteAudit, judgedRules } from '../report/audit-summary.ts';
import { createFindings } from '../report/findings/findings.ts';
import { change, dataOf, type Change } from '../testing/corruptions/changes.ts';
import { writeLog } from '../testing/corruptions/index.ts';
import { testLogKeys } from '../testing/signed-log.ts';
import { erasedClient } from '../testing/stored-reports.ts';
import { approved, otherShopId, reviewed, shopId } from '../testing/valid-log.ts';

const picture = Buffer.from('a picture of a transfer');
const pdf = Buffer.from('%PDF-1.7 a transfer');
const recorded = (content: Buffer) => ({
  sha256: hash('sha256', content, 'hex'),
  size_bytes: content.byteLength,
  pdf: content.includes('%PDF-'),
});
const [first, second] = [receiptKey(reviewed, 'u1'), receiptKey(approved, 'u2')];

/** A log with two uploaded receipts, changed before it is written. */
function logWith(corruption: Change = () => undefined) {
  return writeLog((events) => {
    change('uploaded', recorded(picture))(events);
    change('approved-uploaded', recorded(pdf))(events);
    corruption(events);
  });
}

type Files = { get(key: string): Promise<Uint8Array | undefined> };
const storedFiles = (files: Readonly<Record<string, Buffer>>): Files => ({
  get: async (key) => files[key],
});
const whole = { [first]: picture, [second]: pdf };

async function auditFiles(
  receipts: Files | undefined,
  { corruption, ...more }: { corruption?: Change; shopId?: string; atMs?: number } = {},
) {
  const events = logWith(corruption);
  const log = {
    read: async function* (after: number) {
      yield events.filter(({ position }) => position > after);
    },
    head: async () => events.at(-1)?.position ?? 0,
    at: async (position: number) => events.find((event) => event.position === position),
    stream: async () => [],
    close: async () => undefined,
  };
  const findings = createFindings();
  const result = await audit({ log, findings, logKeys: testLogKeys, receipts, ...more });
  const rule = 'receipt_file.content';
  return {
    found: findings.listed().filter((finding) => finding.rule === rule),
    checked: judgedRules(result, findings).find((each) => each.rule === rule)?.checked,
    notes: result.notes.filter((note) => note.includes('receipts')),
    notCompared: result.files?.notCompared,
    complete: isCompleteAudit(result),
  };
}

describe('files of uploaded receipts', () => {
  it('are as the log has them (R18.5)', async () => {
    expect(await auditFiles(storedFiles(whole))).toEqual({
      found: [],
      checked: 2,
      notes: [],
      notCompared: [],
      complete: true,
    });
  });

  it('are found where one was replaced (R18.5)', async () => {
    const forged = Buffer.from('a forged picture of one');
    expect(forged).toHaveLength(picture.byteLength);
    const { found, checked } = await auditFiles(storedFiles({ ...whole, [first]: forged }));
    expect(found).toMatchObject([{ stream: `operation-${reviewed}`, shopId, revision: 3 }]);
    expect(found[0]?.message).toContain('has another file than was uploaded as receipt u1');
    expect(checked).toBe(2);
  });

  it.each<[string, Change]>([
    ['another size', change('uploaded', { size_bytes: 7 })],
    ['that it is a PDF', change('uploaded', { pdf: true })],
  ])('disprove an event that states %s (R18.5)', async (_, corruption) => {
    const { found } = await auditFiles(storedFiles(whole), { corruption });
    expect(found).toMatchObject([{ stream: `operation-${reviewed}` }]);
  });

  it('are not compared where they are missing, unless their client was erased (R18.5)', async () => {
    const { found, notCompared, checked, complete } = await auditFiles(
      storedFiles({ [second]: pdf }),
    );
    expect({ found, checked, complete }).toEqual({ found: [], checked: 1, complete: false });
    expect(notCompared).toEqual([
      expect.stringMatching(/^files of 1 receipts: the receipt store has none/),
    ]);
    expect(await auditFiles(storedFiles({}))).toMatchObject({ checked: 0, complete: false });
    const corruption: Change = (events) => {
      const request = dataOf(events, 'reviewed-admitted')['request'] as object;
      Object.assign(request, { client_id: erasedClient });
    };
    expect(await auditFiles(storedFiles({ [second]: pdf }), { corruption })).toMatchObject({
      found: [],
      notCompared: [],
      complete: true,
    });
  });

  it('are only those of the one shop', async () => {
    const forged = storedFiles({ [first]: pdf, [second]: picture });
    const { found, checked } = await auditFiles(forged, { shopId: otherShopId });
    expect({ found, checked }).toMatchObject({ found: [{ shopId: otherShopId }], checked: 1 });
  });

  it('are listed as not compared where their store does not respond', async () => {
    const receipts = {
      get: (key: string) =>
        key === first ? Promise.reject(new Error('no response')) : Promise.resolve(pdf),
    };
    expect(await auditFiles(receipts)).toMatchObject({
      checked: 1,
      notCompared: ['files of 1 receipts: no response'],
      complete: false,
    });
  });

  it('are noted as not compared without their store, and as of a time', async () => {
    const note = 'the files of 2 uploaded receipts were not compared with the log';
    expect(await auditFiles(undefined)).toMatchObject({ notes: [note], complete: true });
    const atMs = Date.parse('2035-01-31T12:00:00.000Z');
    expect(await auditFiles(storedFiles({ ...whole, [first]: pdf }), { atMs })).toMatchObject({
      found: [],
      notes: [note],
    });
  });
});
