import { hash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { acceptance, append, givenPayment } from '#services/processor/testing/operations.ts';
import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import { receiptKey } from '#shared/application/receipts/store.ts';
import { newId } from '#shared/platform/ids.ts';
import { tokens } from '../../testing/admin.ts';
import { useConsole } from '../testing/console.ts';
import { hidden, type Visitor, pageWith } from '../testing/visitor.ts';

const console = useConsole();
let operator: Visitor;
let auditor: Visitor;
let shopId: string;
beforeAll(async () => {
  operator = await console.visitor(tokens.operator);
  auditor = await console.visitor(tokens.auditor);
  shopId = await console.newShop();
});

const uploadedAndFlagged = (
  receipt_id: string,
  { pdf = true, content = Buffer.from(newId()) } = {},
): OperationEvent[] => [
  {
    type: 'ReceiptUploaded',
    data: { receipt_id, sha256: hash('sha256', content, 'hex'), size_bytes: 4, pdf },
  },
  { type: 'ManualCheckStarted', data: { receipt_id, reason: 'potential_fake' } },
];
async function flagged({ pdf = true, content = `%PDF-${newId()}` } = {}): Promise<string> {
  const receipt_id = newId();
  const bytes = Buffer.from(content, 'latin1');
  const after = uploadedAndFlagged(receipt_id, { pdf, content: bytes });
  const id = await givenPayment(console.store, { shopId, answers: [acceptance()], after });
  console.receipts.set(receiptKey(id, receipt_id), bytes);
  return id;
}
const typesOf = async (id: string) =>
  (await console.store.read(operationStream(id))).slice(5).map(({ type }) => type);
const path = '/review/several';
const send = async (values: Record<string, string>, visitor = operator) =>
  visitor.post(path, { form_token: await visitor.formToken(), ...values });

describe('a decision on several receipts', () => {
  test('has one confirmation with the sum, and a command for each receipt', async () => {
    const [first, second, third] = [await flagged(), await flagged(), await flagged()];
    const ids = [first, second, third];
    const form = await operator.get(`${path}?${ids.map((id) => `operation=${id}`).join('&')}`);
    for (const id of ids) expect(form.text).toContain(`name="amount_${id}" value=""`);
    const values = {
      operations: ids.join(),
      decision: 'approve',
      note: 'seen on the account',
      as_expected: 'on',
      [`amount_${second}`]: '60.00',
      [`amount_${third}`]: '100.01',
    };
    const preview = await send(values);
    // 99.00 and 59.40 after commission; more than expected requires an admin.
    expect(preview.text).toMatch(
      /Credited in total<\/dt><dd><strong class="figure-large">[^<]*158\.40/,
    );
    expect(preview.text).toContain('requires the admin role');
    expect(preview.text).toContain('Confirm decisions: 2');
    expect(await Promise.all(ids.map(typesOf))).toEqual([[], [], []]);
    const confirmed = { ...values, confirmed: 'yes', once: hidden(preview.text, 'once') };
    const done = await send(confirmed);
    expect([done.status, done.location]).toEqual([303, '/review']);
    const report = (await operator.get(done.location)).text;
    expect(report).toContain('Decisions recorded: 2 of 3');
    expect(report).toMatch(
      /recorded<\/span>.*Approve: 100\.00.*Approve: 60\.00.*not recorded.*requires the admin role/,
    );
    expect(report).toContain('OperationCompleted');
    expect(await typesOf(first)).toEqual(['ReviewDecided', 'OperationCompleted']);
    expect(await typesOf(second)).toEqual(['ReviewDecided', 'OperationPartiallyCompleted']);
    expect(await typesOf(third)).toEqual([]);
    // A repeat has no effect.
    expect((await send(confirmed)).location).toBe('/review');
    expect(await typesOf(first)).toHaveLength(2);
  });

  test('requires an entered amount', async () => {
    const id = await flagged();
    const values = { operations: id, decision: 'approve', note: 'x' };
    const preview = await send(values);
    expect(preview.text).toContain('an approval needs the received amount');
    expect(preview.text).not.toContain('Confirm decisions');
    await send({ ...values, confirmed: 'yes', once: newId() });
    expect(await typesOf(id)).toEqual([]);
    expect((await send({ ...values, decision: '' })).text).toContain('Choose…');
  });

  test('skips a receipt that was decided meanwhile, and records the others', async () => {
    const [decided, open] = [await flagged(), await flagged()];
    await operator.act(`/operations/${decided}/review`, { decision: 'decline', note: 'forged' });
    const values = { operations: `${decided},${open}`, decision: 'decline', note: 'forged too' };
    await send({ ...values, confirmed: 'yes', once: newId() });
    expect((await operator.get('/review')).text).toContain('Decisions recorded: 1 of 2');
    expect(await typesOf(open)).toEqual(['ReviewDecided', 'OperationDeclined']);
  });

  test('applies to the receipts in its form, and not to later ones', async () => {
    const [replaced, open] = [await flagged(), await flagged()];
    const form = await operator.get(`${path}?operation=${replaced}&operation=${open}`);
    const seen = Object.fromEntries(
      [replaced, open].map((id) => [`receipt_${id}`, hidden(form.text, `receipt_${id}`)]),
    );
    for (const id of [replaced, open])
      expect(form.text).toContain(`href="/operations/${id}/receipts/${seen[`receipt_${id}`]}"`);
    const approval = { decision: 'approve', note: 'seen', as_expected: 'on' };
    const values = { operations: `${replaced},${open}`, ...approval };
    const preview = await send({ ...values, ...seen });
    for (const [name, value] of Object.entries(seen))
      expect(hidden(preview.text, name)).toBe(value);
    const [receipt_id, earlier = ''] = [newId(), seen[`receipt_${replaced}`]];
    const reupload = { receipt_id: earlier, decision: 'ask_again', note: 'x' } as const;
    const events: OperationEvent[] = [
      { type: 'ReviewDecided', data: reupload },
      ...uploadedAndFlagged(receipt_id),
    ];
    await append(console.store, replaced, { expectedRevision: 4, events });
    await send({ ...values, ...seen, confirmed: 'yes', once: hidden(preview.text, 'once') });
    expect((await operator.get('/review')).text).toContain('Decisions recorded: 1 of 2');
    expect((await typesOf(replaced)).at(-1)).toBe('ManualCheckStarted');
    expect(await typesOf(open)).toEqual(['ReviewDecided', 'OperationCompleted']);

    const one = `/operations/${replaced}/review`;
    const decision = { decision: 'approve', actual_amount: '100.00', note: 'seen' };
    const form_token = await operator.formToken();
    const stale = { form_token, ...decision, receipt_id: earlier };
    const refused = await operator.post(one, { ...stale, confirmed: 'yes', once: newId() });
    expect(refused).toMatchObject(pageWith(400, 'another receipt'));
    for (const page of [`/review?operation=${replaced}`, one])
      expect(hidden((await operator.get(page)).text, 'receipt_id')).toBe(receipt_id);
    const confirmation = await operator.post(one, { ...stale, receipt_id });
    expect(hidden(confirmation.text, 'receipt_id')).toBe(receipt_id);
  });

  test('is forbidden to an auditor, and without a form token', async () => {
    const id = await flagged();
    expect((await auditor.get(`${path}?operation=${id}`)).status).toBe(403);
    const decline = { operations: id, decision: 'decline', note: 'x' };
    expect((await send(decline, auditor)).status).toBe(403);
    expect((await auditor.get(`/review?operation=${id}`)).text).not.toContain('name="operation"');
    expect((await operator.post(path, { operations: id, form_token: '' })).status).toBe(403);
    expect((await operator.get(`${path}?operation=x`)).status).toBe(400);
    expect((await operator.get(path)).text).toContain('No receipt is selected');
  });
});

describe('a payer’s file', () => {
  const fileOf = async (id: string) => {
    const { text } = await operator.get(`/review?operation=${id}`);
    const [, href = ''] = new RegExp(`"(/operations/${id}/receipts/[^"#]+)`).exec(text) ?? [];
    return { text, file: await operator.get(href) };
  };

  test('is shown if it is a picture, and can’t run scripts', async () => {
    const id = await flagged({ pdf: false, content: '\x89PNG\r\n\x1a\n<script>alert(1)</script>' });
    const { text, file } = await fileOf(id);
    expect(text).toMatch(new RegExp(`<img src="/operations/${id}/receipts/`));
    expect(file.headers.get('content-type')).toBe('image/png');
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
    const disposition = file.headers.get('content-disposition');
    expect(disposition).toMatch(/^inline; filename="[0-9a-f-]{36}\.png"$/);
    const policy = file.headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'; script-src 'none';.*sandbox/);
  });

  test.each([
    '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
    '<html><script>alert(1)</script>',
  ])('is a download without a type if it is neither a PDF nor a picture: %s', async (content) => {
    const id = await flagged({ pdf: false, content });
    const { text, file } = await fileOf(id);
    expect(text).toContain('neither a PDF nor an image');
    expect(text).not.toMatch(/<img|<iframe/);
    expect(file.headers.get('content-type')).toBe('application/octet-stream');
    expect(file.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

test('a receipt file that was replaced leaves its review, and the others, in reach (R9.13)', async () => {
  const [replaced, whole] = [
    await flagged({ pdf: false, content: `a photo ${newId()}` }),
    await flagged(),
  ];
  const [key = ''] = [...console.receipts.keys()].filter((each) => each.includes(replaced));
  console.receipts.set(key, Buffer.from('another photo'));
  const page = await operator.get(`/review?operation=${replaced}`);
  expect(page.status).toBe(200);
  expect(page.text).toContain('another file than the payer uploaded');
  expect((await operator.get(`/review?operation=${whole}`)).status).toBe(200);
});
