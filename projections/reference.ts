import type { ReadModel, Table } from './read-model.ts';
import type { View } from './views/view.ts';

/** Every table and view with its columns, as Markdown: `docs/analysts/read-models-reference.md`. */
export function describeSchema(models: readonly ReadModel[], views: readonly View[]): string {
  return [
    '# Tables and views',
    'Made from the definitions in `projections/` by `npm run projections -- reference`; the same texts are COMMENTs in the database. What it is all about: [read models](read-models.md).',
    '## Tables',
    ...models.flatMap(({ name, tables }) => tables.map((table) => describeTable(name, table))),
    '## Views',
    ...views.map(describeView),
  ].join('\n\n');
}

function describeTable(model: string, { name, comment, columns, primaryKey }: Table): string {
  const rows = Object.entries(columns).map(([column, { type, comment: text }]) => [
    primaryKey.includes(column) ? `**\`${column}\`**` : `\`${column}\``,
    type.replace(/ (?:collate "C" )?not null/, ''),
    type.includes('not null') || primaryKey.includes(column) ? '' : 'null',
    text,
  ]);
  const intro = `Read model \`${model}\`. ${comment}`;
  return [`### gateway.${name}`, intro, markdownTable(['column', 'type', '', 'says'], rows)].join('\n\n');
}

function describeView({ name, comment, columns }: View): string {
  const rows = Object.entries(columns).map(([column, text]) => [`\`${column}\``, text]);
  return [`### gateway.${name}`, comment, markdownTable(['column', 'says'], rows)].join('\n\n');
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}
