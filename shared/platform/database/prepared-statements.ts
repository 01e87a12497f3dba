import type { ClientBase } from 'pg';

/** Texts beyond that are planned each time, as those would be that differ with every call. */
const maxStatements = 100;
/** PostgreSQL takes names of at most 63 bytes. */
const maxNameLength = 60;
const names = new Map<string, string>();

/**
 * Lets a connection plan each statement with parameters once, by giving it a name. For statements
 * whose text does not change with their parameters, and that name the columns they return: a plan
 * can't outlive a change of those.
 */
export function prepareStatements(client: ClientBase): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const prepared = (...args: unknown[]) => {
    const [text, values] = args;
    const named =
      args.length === 2 && typeof text === 'string' && Array.isArray(values) && values.length > 0;
    const name = named ? nameOf(text) : undefined;
    return name === undefined ? query(...args) : query({ name, text, values });
  };
  Object.assign(client, { query: prepared });
}

/** A number, and what the statement does: shown by pg_stat_activity and pg_prepared_statements. */
function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= maxStatements) return known;
  const [does = text] =
    /\b(?:insert into|(?<!\bfor (?:no key )?)update|delete from)\s[^]*/.exec(text) ?? [];
  const name = `${names.size + 1} ${does.replaceAll(/\s+/g, ' ').trim()}`.slice(0, maxNameLength);
  names.set(text, name);
  return name;
}
