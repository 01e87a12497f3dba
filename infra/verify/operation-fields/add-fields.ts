import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Preloaded, it adds two fields to a process's operation object, as a developer would: a plain text
 * and an encrypted one. The files on disk are unchanged.
 */

const additions: Readonly<Record<string, { before: string; added: string }>> = {
  '/shared/domain/operation/events.ts': {
    before: '});\nexport type OperationRequest',
    added: `  plain_note: z.string().optional(),
  secret_note: encrypted(z.string()).optional(),
`,
  },
  '/shared/domain/operation/fields/table.ts': {
    before: '} as const satisfies Readonly<Record<string, FieldEntry>>;',
    added: `
  plain_note: {
    schema: z.string().optional(),
    about: 'About the plain note.',
    value: ({ request }) => request.plain_note ?? undefined,
    request: { required: false, maxCodePoints: 4, about: 'Send a plain note.', example: 'p' },
    column: { type: 'text', comment: 'The plain note' },
    cell: 'foreign',
    page: { label: { ru: 'Пометка', en: 'Plain note' }, kind: 'text', on: ['portal', 'console'] },
  },
  secret_note: {
    schema: z.string().optional(),
    about: 'About the secret note.',
    value: ({ opened }) => opened.secret_note,
    request: { required: false, about: 'Send a secret note.', example: 's' },
    sealed: true,
    column: { type: 'jsonb', comment: 'The secret note, encrypted' },
    cell: 'foreign',
    page: { label: { ru: 'Секрет', en: 'Secret note' }, kind: 'text', on: ['portal', 'console'] },
  },
`,
  },
};

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const addition = Object.entries(additions).find(([path]) => url.endsWith(path))?.[1];
    if (!addition) return loaded;
    const { before, added } = addition;
    const source = readFileSync(fileURLToPath(url), 'utf8');
    if (source.split(before).length !== 2) throw new Error(`${url} has not one ${before}`);
    return { ...loaded, source: source.replace(before, `${added}${before}`) };
  },
});
