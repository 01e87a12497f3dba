import { sql, type Kysely } from 'kysely';

type SqlComment = { readonly schema: string; readonly name: string; readonly comment: string };

/** Comments on a table or view and its columns in one round trip: together they are hundreds. */
export async function commentOn<DB>(
  db: Kysely<DB>,
  kind: 'table' | 'view',
  { schema, name, comment }: SqlComment,
  columns: readonly (readonly [name: string, comment: string])[],
): Promise<void> {
  const onColumns = columns.map(
    ([column, text]) => sql`comment on column ${sql.id(schema, name, column)} is ${sql.lit(text)}`,
  );
  await sql`comment on ${sql.raw(kind)} ${sql.id(schema, name)} is ${sql.lit(comment)};
    ${sql.join(onColumns, sql`; `)}`.execute(db);
}
