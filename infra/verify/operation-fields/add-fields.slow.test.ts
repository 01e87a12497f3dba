import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

type Fields = Record<string, unknown>;
type Shown = Record<'create' | 'list' | 'operators' | 'cells', Fields> & {
  event: { request: Fields };
  webhook: string;
  portal: string;
  console: string;
  erased: boolean;
};
type Schema = { properties: Record<string, Fields> };
type Life = {
  document: { components: { schemas: Record<string, Schema> } };
  stored: Fields;
  difference: string;
  columns: Record<string, { type: string; comment: string }>;
  row: Fields;
  csv: { name: string; foreign: boolean }[];
  audit: { message: { data: { operation: Fields } } };
  known: Shown;
  erased: Shown;
};

const notes = { plain_note: 'open', secret_note: 'hush' };
const metadata = { 'order.id': 'private' };
const personal = { secret_note: 'hush', metadata };
const sealed = { sealed: expect.stringContaining('.') as string };

let life: Life;

beforeAll(() => {
  const preload = new URL('add-fields.ts', import.meta.url).href;
  const given = JSON.stringify({ ...notes, metadata });
  const args = ['--import', preload, file('life-of-a-field.ts'), given];
  const maxBuffer = 64 * 1024 * 1024;
  life = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer })) as Life;
});

describe('fields that are added to the table of the operation object', () => {
  it('are described in the document, for who sends them and who reads them', () => {
    const document = JSON.stringify(life.document);
    for (const about of ['Send a plain note.', 'Send a secret note.'])
      expect(document).toContain(`"description":"${about}"`);
    for (const about of ['About the plain note.', 'About the secret note.'])
      expect(document).toContain(`"description":"${about}"`);
    expect(document).toContain('"maxLength":4');
  });

  it('are stored as sent, or encrypted if they are personal (R17.6)', () => {
    expect(life.stored).toMatchObject({
      plain_note: 'open',
      secret_note: sealed,
      metadata: sealed,
    });
    expect(JSON.stringify(life.stored)).not.toMatch(/hush|private/);
    expect(life.difference).toMatch(/^plain_note differs/);
  });

  it('have a column with its comment', () => {
    expect(life.columns).toMatchObject({
      plain_note: { type: 'text', comment: 'The plain note' },
      secret_note: { type: 'jsonb', comment: 'The secret note, encrypted' },
    });
    expect(life.row).toMatchObject({ plain_note: 'open', secret_note: sealed });
  });

  it('have the last columns of CSV files, as texts of others', () => {
    const last = Object.keys(notes).map((name) => ({ name, foreign: true }));
    expect(life.csv.slice(-2)).toEqual(last);
    expect(life.known.cells).toEqual({ secret_note: 'hush', metadata: JSON.stringify(metadata) });
  });

  it('are in every answer, list, webhook and page', () => {
    const { create, list, webhook, operators, event, portal, console } = life.known;
    for (const place of [create, list, operators, JSON.parse(webhook).data.operation])
      expect(place).toMatchObject({ ...notes, metadata });
    expect(event.request).toMatchObject({ ...notes, metadata });
    for (const page of [portal, console]) {
      expect(page).toMatch(/Plain note<\/dt>\s*<dd>open/);
      expect(page).toMatch(/Secret note<\/dt>\s*<dd>hush/);
    }
    expect(life.known.erased).toBe(false);
    expect(life.audit.message.data.operation).toMatchObject({
      plain_note: 'open',
      secret_note: sealed,
    });
  });

  it('are nowhere once the client is erased, if they are personal (R17.7)', () => {
    const { erased, ...places } = life.erased;
    expect(erased).toBe(true);
    expect(places.cells).toEqual({ secret_note: null, metadata: null });
    const { create, list, webhook, operators, portal, console } = places;
    for (const place of [create, list, operators, JSON.parse(webhook).data.operation]) {
      expect(place).toMatchObject({ plain_note: 'open' });
      for (const name of Object.keys(personal)) expect(place).not.toHaveProperty(name);
    }
    for (const page of [portal, console]) {
      expect(page).toContain('open');
      expect(page).not.toMatch(/Secret note|Metadata/);
    }
    expect(JSON.stringify(places)).not.toMatch(/hush|private|sealed/);
  });
});
