import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Preloaded, it adds two settings of a shop to a process, as a developer who adds settings would:
 * to the event's schema and to the table. The files on disk are unchanged.
 */

const files = [
  {
    path: '/shared/domain/shop/events.ts',
    before: '});\nexport type ShopSettings',
    added: 'express_payouts: z.boolean().optional(),\n  terms_url: z.string().optional(),\n',
  },
  {
    path: '/shared/domain/shop/settings/table.ts',
    before: '} as const satisfies Record<keyof ShopSettings, SettingEntry>;',
    added: `
  express_payouts: {
    kind: 'switch',
    default: false,
    changedBy: ['admin', 'operator'],
    about: 'Payouts are sent at once.',
    label: { ru: 'Быстрые выплаты', en: 'Express payouts' },
    form: { hint: { ru: 'Сразу.', en: 'At once.' } },
    column: 'Payouts are sent at once, for analysts',
  },
  terms_url: {
    kind: 'url',
    refuse: refuseReturnUrl,
    changedBy: ['admin'],
    about: 'The terms of the shop.',
    label: { ru: 'Условия магазина', en: 'Terms of the shop' },
    column: 'URL of the terms',
  },
`,
  },
];

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const file = files.find(({ path }) => url.endsWith(path));
    if (!file) return loaded;
    const source = readFileSync(fileURLToPath(url), 'utf8');
    const { before, added } = file;
    if (source.split(before).length !== 2) throw new Error(`${file.path} ends otherwise`);
    return { ...loaded, source: source.replace(before, `${added}${before}`) };
  },
});
