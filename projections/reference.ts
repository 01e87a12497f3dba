import type { ReadModel, Table } from './read-model.ts';
import type { SqlView } from './views/view.ts';

/** Every table and view with its columns, as Markdown: `docs/analysts/read-models-reference.md`. */
export function describeSchema(models: readonly ReadModel[], views: readonly SqlView[]): string {
  return [
    '# Tables and views',
    'Every table and view of the schema `gateway`, with its columns. What they are for: [read models](read-models.md). The same texts are COMMENTs in the database. Made by `npm run projections -- reference`.',
    'Of a table, the columns of its primary key are bold; `null` says that a column may be empty.',
    '## Tables',
    ...models.flatMap(({ name, tables }) => tables.map((table) => describeTable(name, table))),
    '## Views',
    ...views.map(describeView),
  ].join('\n\n');
}

function describeTable(model: string, { name, comment, columns, primaryKey }: Table): string {
  const rows = Object.entries(columns).map(([column, { type, comment: text }]) => {
    const isKey = primaryKey.includes(column);
    const shown = isKey ? `**\`${column}\`**` : `\`${column}\``;
    const kind = type.replace(/ (?:collate "C" )?not null/, '');
    return `- ${shown} (${kind}${type.includes('not null') || isKey ? '' : ', null'}): ${text}`;
  });
  return [`### gateway.${name}`, `Read model \`${model}\`. ${comment}`, rows.join('\n')].join(
    '\n\n',
  );
}

function describeView({ name, comment, columns }: SqlView): string {
  const rows = Object.entries(columns).map(([column, text]) => `- \`${column}\`: ${text}`);
  return [`### gateway.${name}`, comment, rows.join('\n')].join('\n\n');
}
