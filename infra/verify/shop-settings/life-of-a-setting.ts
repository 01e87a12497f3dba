import { projectShop } from '#projections/shops/project.ts';
import { shopsTable } from '#projections/shops/table.ts';
import { commands as commandRoles } from '#services/audit/authority/commands.ts';
import { whyNotChanged, whyNotSettings } from '#services/audit/log/pass/settings.ts';
import { rolesByRoute } from '#services/back-office/api/roles.ts';
import { shopPatchBody } from '#services/back-office/api/setup/bodies.ts';
import { shopRules } from '#services/back-office/api/setup/setting-bodies.ts';
import { changeShopAction } from '#services/back-office/console/actions/shops.ts';
import type { ConsoleView } from '#services/back-office/console/env.ts';
import { settingFields } from '#services/back-office/console/shops/setting-fields.ts';
import { settingPairs } from '#services/back-office/console/shops/setting-pairs.ts';
import type { Role } from '#shared/domain/operator/events.ts';
import { asStored } from '#shared/domain/testing/as-stored.ts';
import { createShop } from '#shared/domain/shop/decide.ts';
import { decodeShopEvent, type ShopEvent } from '#shared/domain/shop/events.ts';
import { forbiddenSettings, viewSettings } from '#shared/domain/shop/settings/derive.ts';
import { evolveShop, noShop, type Shop } from '#shared/domain/shop/state.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { html } from '#shared/platform/pages/index.ts';
import { renderToText } from '#shared/platform/pages/html.ts';
import { describeSettings } from './reference.ts';

/** Runs a shop with the settings through the product's own code, and prints each part as JSON. */

const body = JSON.parse(process.argv[2] ?? '{}') as Record<string, unknown>;
const rules = shopRules({ allowPrivate: false });
const check = (given: object): unknown => {
  try {
    return validate(shopPatchBody, given, rules);
  } catch (error) {
    if (error instanceof Problem) return error.errors;
    throw error;
  }
};

function create(settings: object) {
  const shop = { shopId: 's', merchantId: 'm', operationIdSecret: 'ff' };
  const decision = createShop(noShop, { ...shop, settings: { name: 'Shop', ...settings } });
  if (!('events' in decision)) throw new Error(decision.refusal);
  const [event] = decision.events as [ShopEvent];
  return asStored(event);
}

const isOperator = (allowed: readonly Role[]) => allowed.includes('operator');
const stored = create(body);
const info = { createdIso: '2026-01-31T12:00:00.000Z', actor: 'operator:a' };
const evolve = (event: typeof stored) => evolveShop(noShop, decodeShopEvent(event), info) as Shop;
const { settings } = evolve(stored);
const { settings: before } = evolve(create({}));
const view = (language: 'ru' | 'en', role: Role = 'admin') =>
  ({
    language,
    session: { holder: { role } },
    t: (words: { ru: string; en: string }) => words[language],
  }) as ConsoleView;
const page = (language: 'ru' | 'en') =>
  settingPairs(view(language), settings).map(([name, value]) =>
    renderToText(html`${name}: ${value}`),
  );
const newest = { created: new Date(0), revision: 0, position: 0n };

process.stdout.write(
  JSON.stringify({
    accepted: check(body),
    refused: check(Object.fromEntries(Object.keys(body).map((name) => [name, 7]))),
    wrongUrl: check({ terms_url: 'javascript:alert(1)' }),
    audit: whyNotSettings({ ...settings, terms_url: 'javascript:alert(1)' } as typeof settings),
    stored: [create({}).data, stored.data],
    answers: [viewSettings({}), viewSettings(settings)],
    columns: shopsTable.columns,
    row: projectShop(undefined, { ...stored, ...newest } as never),
    roles: [rolesByRoute['PATCH /admin/v1/shops/:shop_id'], commandRoles.get('ShopChanged')?.roles],
    forbidden: forbiddenSettings(Object.keys(body), isOperator),
    auditedChange: whyNotChanged({ before, after: settings }, isOperator),
    formOfOperator: settingFields(view('en', 'operator'), settings).map(({ name }) => name),
    form: settingFields(view('en'), settings),
    sent: changeShopAction.body?.(
      { express_payouts: 'on', terms_url: 'https://a.example/' },
      { zone: 'UTC' },
    ),
    page: { ru: page('ru'), en: page('en') },
    reference: describeSettings(),
  }),
);
