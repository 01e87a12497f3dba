import { eachSetting } from '#shared/domain/shop/settings/derive.ts';
import type { SettingEntry } from '#shared/domain/shop/settings/entry.ts';

export const settingsReferenceFile = 'docs/operators/shop-settings.md';

/** Every setting of a shop for those who use the admin API, as Markdown. */
export function describeSettings(): string {
  return [
    '# Settings of a shop',
    `The members that \`POST /admin/v1/shops\` and \`PATCH /admin/v1/shops/:shop_id\` accept for a shop, and that the responses have. They are also in the [console](console.md). Made by \`npm run openapi\`.`,
    eachSetting
      .map(
        ([name, entry]) =>
          `- \`${name}\` (${describeValue(entry)}; changed by: ${entry.changedBy.join(', ')}): ${entry.about}`,
      )
      .join('\n'),
  ].join('\n\n');
}

function describeValue(entry: SettingEntry): string {
  switch (entry.kind) {
    case 'name':
      return 'one line of text; required';
    case 'switch':
      return `boolean, ${entry.default} by default`;
    case 'text':
      return `text of at most ${entry.maxCodePoints} characters, null by default; null clears it`;
    case 'url':
      return 'URL, null by default; null clears it';
    case 'limits':
      return 'amounts by currency, none by default';
    case 'numbers':
      return Object.entries(entry.members)
        .map(
          ([member, { max, default: usual }]) =>
            `\`${member}\` from 1 to ${max}, ${usual} by default`,
        )
        .join('; ');
  }
}
